import { describe, expect, it } from 'vitest';
import { programText } from '../../../../src/environments/repair/source.ts';
import { TaskError } from '../../../../src/environments/repair/taskError.ts';
import { checkReferences, readTasks } from '../../../../src/environments/repair/taskFile.ts';
import { spell } from '../../../../src/environments/repair/vocabulary.ts';
import { FakePython } from './repairWorld.ts';

const TESTS = [[], [6], [5], [6, 7], [1, 9]].map((list) => ({
  args: [list],
  expected: list.filter((x) => x > 5).reduce((sum, x) => sum + x, 0),
}));
const TASK = {
  prompt: 'sum of above 5',
  entry: 'f(a)',
  tests: TESTS,
  reference: 't = 0\nfor x in a:\n    if x > 5:\n        t += x\nreturn t',
};

const file = (...tasks: object[]) => tasks.map((task) => JSON.stringify(task)).join('\n');
const message = (text: string) => {
  try {
    readTasks(text);
  } catch (error) {
    expect(error).toBeInstanceOf(TaskError);
    return (error as TaskError).message;
  }
  throw new Error('the file was read');
};

describe('a file of tasks', () => {
  it('a task file is read line by line, with a byte order mark and empty lines', () => {
    const two = { ...TASK, prompt: 'count equal value', entry: ' total( a , k )', heldOut: true };
    const tests = TESTS.map(({ args, expected }) => ({ args: [...args, 2], expected }));
    const [first, second] = readTasks(`\uFEFF${file(TASK)}\r\n\r\n${file({ ...two, tests })}\n`, 7);
    expect(first).toMatchObject({ id: 7, entry: 'f', signature: 'a', heldOut: false });
    expect(first.tests[3]).toEqual({ args: [[6, 7]], expected: 13 });
    expect(spell(first.prompt)).toBe('<p> sum of above 5 def(a) <c>');
    expect(second).toMatchObject({ id: 8, entry: 'total', signature: 'ak', heldOut: true });
    expect(programText(second.reference, second.signature, second.entry)).toMatch(/^def total\(a, k\):\n {4}t = 0\n/);
  });

  it.each<[string, object, string]>([
    ['an unknown word in the prompt', { prompt: 'sum of primes' }, 'field "prompt": "primes" is not in the vocabulary'],
    ['an empty prompt', { prompt: ' ' }, 'field "prompt": " " is not words'],
    ['too many words in the prompt', { prompt: 'sum '.repeat(17) }, 'field "prompt": 17 words, at most 16'],
    ['a code token in the prompt', { prompt: 'return' }, 'field "prompt": "return" is not in the vocabulary'],
    [
      'unsupported parameters',
      { entry: 'f(a, b, c)' },
      'field "entry": "f(a, b, c)" is not one of name(a), name(a, k)',
    ],
    ['a missing entry', { entry: undefined }, 'field "entry": nothing is not one of'],
    [
      'an operator outside the vocabulary',
      { reference: 'return a ^ 2' },
      'field "reference": "^" is not in the vocabulary',
    ],
    [
      'a variable name outside the vocabulary',
      { reference: 'return total' },
      'field "reference": "total" is not in the vocabulary',
    ],
    [
      'an indentation of two spaces',
      { reference: 'for x in a:\n  return x' },
      'field "reference": line 2 is not indented by four',
    ],
    [
      'an unexpected indentation',
      { reference: 'return a\n    return a' },
      'field "reference": line 2 is not indented by four',
    ],
    ['an empty reference', { reference: '' }, 'field "reference": 0 tokens, not 1 to 43'],
    ['a reference that is too long', { reference: 'x = 1\n'.repeat(12) }, 'field "reference": 47 tokens, not 1 to 43'],
    ['an empty list of tests', { tests: [] }, 'field "tests": 0 tests, not 5 to 64'],
    ['tests that are not a list', { tests: 5 }, 'field "tests": 5 is not a list'],
    [
      'a test with too few arguments',
      { tests: TESTS.with(2, { args: [], expected: 1 }) },
      'field "tests[2].args": 0 arguments for 1',
    ],
    [
      'a test without an expected value',
      { tests: TESTS.with(1, { args: [[]] } as never) },
      'field "tests[1].expected": missing',
    ],
    [
      'a float in the arguments of a test',
      { tests: TESTS.with(0, { args: [[1, 0.5]] as never, expected: 0 }) },
      'field "tests[0].args[0][1]": 0.5',
    ],
    ['an unknown field', { hint: 1 }, 'field "hint": unknown; known: prompt, entry, tests, reference, heldOut'],
    ['a split that is not a boolean', { heldOut: 'no' }, 'field "heldOut": "no" is not true or false'],
  ])('a task file with %s throws an error with line and field', (_, change, expected) => {
    const text = file(TASK, { ...TASK, ...change });
    expect(message(text)).toMatch(new RegExp(`^line 2, ${expected.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`));
  });

  it('a task file throws an error for a line that is not a task, and if it has no tasks', () => {
    expect(message(`${file(TASK)}\n{"prompt": `)).toMatch(/^line 2: not JSON/);
    expect(message('[1]')).toBe('line 1: a task must be an object, not [1]');
    expect(message('\n \n')).toBe('the file holds no task');
  });

  it('checkReferences accepts references that pass their tests, and otherwise reports the failed test', async () => {
    const python = new FakePython();
    await checkReferences(readTasks(file(TASK)), python.execute);
    const wrong = { ...TASK, reference: TASK.reference.replace('>', '>=') };
    const tasks = readTasks(file(TASK, wrong));
    await expect(checkReferences(tasks, python.execute)).rejects.toThrow(
      'the reference of "sum of above 5" gives 5 for test 2, not 0',
    );
  });
});
