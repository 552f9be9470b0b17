import type { Value } from '@turnwise/python-sandbox/types';
import { ENTRY, promptTokens, type RepairTask } from '../../../../src/environments/repair/repairTasks.ts';
import { tokenize } from '../../../../src/environments/repair/source.ts';
import { END } from '../../../../src/environments/repair/vocabulary.ts';
import type { CallResult, Execute, Execution } from '../../../../src/environments/shared/execution.ts';

/** Arguments of ten tests of "sum of above 5". The first four tests are visible. */
const LISTS = [[], [6], [5], [6, 7], [1, 9], [3, 3], [12], [5, 6, 5], [8, 1, 8], [-4]];

/** Task with tests that are written by hand: the sum of the members above 5. */
export const SUM_TASK: RepairTask = {
  id: 5,
  promptTerms: ['sum', 'of', 'above', '5'],
  signature: 'a',
  entry: ENTRY,
  prompt: promptTokens(['sum', 'of', 'above', '5'], 'a'),
  reference: tokenize('t = 0\nfor x in a:\n    if x > 5:\n        t += x\nreturn t'),
  tests: LISTS.map((list) => ({ args: [list], expected: sum(list.filter((x) => x > 5)) })),
  heldOut: false,
};

/** Python programs and their results as JavaScript functions, so that tests require no Python. */
const PROGRAMS: Readonly<Record<string, (list: readonly number[]) => CallResult>> = {
  't = 0\nfor x in a:\n    if x > 5:\n        t += x\nreturn t': (list) => ({ value: sum(list.filter((x) => x > 5)) }),
  // Wrong for the lists with a 5.
  't = 0\nfor x in a:\n    if x >= 5:\n        t += x\nreturn t': (list) => ({
    value: sum(list.filter((x) => x >= 5)),
  }),
  // Right for empty sums only.
  'return 0': () => ({ value: 0 }),
  // Right for the visible tests and four of the six hidden tests.
  'return sum(a[:2])': (list) => ({ value: list.length > 2 ? 99 : sum(list.filter((x) => x > 5)) }),
  'return True': () => ({ value: true }),
  'return x': () => ({ exception: 'NameError' }),
  'while True:\n    t = 0': () => ({ exception: 'Timeout' }),
};

function sum(list: readonly number[]): number {
  return list.reduce((total, x) => total + x, 0);
}

/** Executor that runs the programs above and records the requests. */
export class FakePython {
  readonly batches: (readonly Execution[])[] = [];

  readonly execute: Execute = async (executions) => {
    this.batches.push(executions);
    return executions.map(({ program, inputs }) => inputs.map(([list]) => this.call(program, list)));
  };

  private call(program: string, list: Value): CallResult {
    const body = program
      .split('\n')
      .slice(1, -1)
      .map((line) => line.slice(4))
      .join('\n');
    const run = PROGRAMS[body];
    if (!run) throw new Error(`the scripted sandbox has no such program\n${program}`);
    return run(list as readonly number[]);
  }
}

/** Returns the tokens of a complete program, including the end token. */
export function written(source: string): number[] {
  return [...tokenize(source), END];
}
