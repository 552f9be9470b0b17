import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { endPlainly } from '../../../../src/cli/output/shutdown.ts';

test.each(['uncaughtException', 'unhandledRejection'])('an %s ends the program with one line and no stack', (event) => {
  const program = Object.assign(new EventEmitter(), {
    codes: [] as number[],
    exit: (code: number) => void program.codes.push(code),
  });
  let message = '';
  endPlainly(program, (text) => {
    message += text;
  });
  program.emit(event, new TypeError('x is not a function'));
  program.emit(event, 'thrown as text');
  expect(program.codes).toEqual([1, 1]);
  expect(message).toBe(
    'turnwise: unhandled error: x is not a function\n' + 'turnwise: unhandled error: thrown as text\n',
  );
});
