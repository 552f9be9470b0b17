import { expect, test } from 'vitest';
import { isStackOverflow } from '../../src/guest/sandboxInterpreter.ts';

/** Creates an error that this engine does not have. */
const errorOf = (name: string, message: string) => Object.assign(new Error(message), { name });

test('a stack overflow of this engine is recognized', () => {
  const recurse = (): number => recurse() + 1;
  let thrown: unknown;
  try {
    recurse();
  } catch (error) {
    thrown = error;
  }
  expect(isStackOverflow(thrown)).toBe(true);
});

test.each([
  [errorOf('InternalError', 'too much recursion'), true], // Firefox
  [errorOf('RangeError', 'Maximum call stack size exceeded.'), true], // Safari
  [new RangeError('Invalid array length'), false],
  [errorOf('InternalError', 'allocation size overflow'), false],
  [new TypeError('too much recursion'), false],
  ['too much recursion', false],
])('%s is a stack overflow: %s', (error, expected) => {
  expect(isStackOverflow(error)).toBe(expected);
});
