import { createNodeSource } from '@turnwise/python-sandbox/host/node';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import { createRepoEnvironment, type RepoEnvironment } from '../../../../src/environments/repo/open.ts';
import { readRepositories, splitProblems } from '../../../../src/environments/repo/repositoriesFile.ts';
import { loadProblems } from '../../../../src/environments/repo/repoTasks.ts';
import { tokenNumber } from '../../../../src/environments/repo/vocabulary.ts';
import { type Execute, sandboxExecute } from '../../../../src/environments/shared/execution.ts';

/**
 * Problem with two bugs: `core.py` has min instead of max, and `lib.py` subtracts 2 instead of 1. The result of clip is
 * right, and the results of top, span and app are too low.
 */
export const LINE = {
  files: [
    { file: 'app.py', function: 'app', right: ['a= top', 'return_a + clip'] },
    { file: 'base.py', function: 'clip', right: ['y=[ min (v,k)_for_v_in_x]', 'return sum (y)'] },
    {
      file: 'core.py',
      function: 'top',
      right: ['m= max (x)', 'return_m + k'],
      broken: ['m= min (x)', 'return_m + k'],
    },
    { file: 'lib.py', function: 'span', right: ['n= len (x)', 'return_n- 1'], broken: ['n= len (x)', 'return_n- 2'] },
  ],
  issue: 'top low',
  visible: [
    { function: 'clip', x: [1, 5], k: 3, expected: 4 }, // min(1, 3) + min(5, 3)
    { function: 'top', x: [1, 5], k: 2, expected: 7 }, // max 5, + 2
    { function: 'span', x: [3, 4, 4], k: 0, expected: 2 }, // 3 members, - 1
    { function: 'app', x: [1, 5], k: 3, expected: 12 }, // top 8 + clip 4
  ],
  hidden: [
    { function: 'top', x: [-1, 9], k: 1, expected: 10 },
    { function: 'span', x: [1, 1], k: 0, expected: 1 },
  ],
};
export const FIX_TOP = 'modify core.py min max';
export const FIX_SPAN = 'modify lib.py 2 1';

export const [{ problem: PROBLEM }] = readRepositories(JSON.stringify(LINE), 'here');

/** Returns the token numbers of names that are separated by spaces. */
export const read = (text: string) => text.split(' ').map(tokenNumber);

/** Python sandbox that records the sizes of its batches. */
export interface Python {
  readonly execute: Execute;
  /** Number of programs in each batch. */
  readonly batches: number[];
  close(): void;
}

/** Starts the sandbox of the project. The caller closes it. */
export async function startPython(): Promise<Python> {
  const sandbox = new Sandbox(createNodeSource(), { workers: 1, spare: false });
  const execute = sandboxExecute(sandbox);
  const batches: number[] = [];
  await execute([{ program: 'def f(): return 1', inputs: [[]] }]);
  return {
    batches,
    execute(executions) {
      batches.push(executions.length);
      return execute(executions);
    },
    close: () => sandbox.close(),
  };
}

/** Executor for tests in which no program runs. */
export const noPython: Execute = () => Promise.reject(new Error('no program should run'));

/** Creates an environment whose only problem is PROBLEM. */
export async function worldOf(execute: Execute, bugs: 'one' | 'two' = 'two'): Promise<RepoEnvironment> {
  const repositories = splitProblems([{ problem: PROBLEM, line: 1, heldOut: false }]);
  return createRepoEnvironment({ bugs }, { execute, problems: await loadProblems(bugs), repositories });
}
