import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { endPlainly } from '../../../../src/cli/output/lastResort.ts';

test.each(['uncaughtException', 'unhandledRejection'])('an %s is told in a line, without a stack', (event) => {
  const program = Object.assign(new EventEmitter(), {
    codes: [] as number[],
    exit: (code: number) => void program.codes.push(code),
  });
  let told = '';
  endPlainly(program, (text) => {
    told += text;
  });
  program.emit(event, new TypeError('x is not a function'));
  program.emit(event, 'thrown as text');
  expect(program.codes).toEqual([1, 1]);
  expect(told).toBe(
    'turnwise: failed where nothing was waiting for it: x is not a function\n' +
      'turnwise: failed where nothing was waiting for it: thrown as text\n',
  );
});
