import type { Value } from '../../sandbox/types.ts';
import { same } from '../shared/execution.ts';
import type { UnitTest } from './repairTasks.ts';

/**
 * Tests that programs pass which ignore the question. If a policy gets the same reward for each passed test, it can
 * earn from these tests without learning anything.
 */

/** Most of them a problem. */
export const EASY_TESTS = 4;

/** Results of such programs: a constant, or their first argument unchanged. */
const CONSTANTS: readonly Value[] = [0, [], 1, -1, null, false, true, ''];
const IGNORANT: readonly ((args: readonly Value[]) => Value)[] = [
  ...CONSTANTS.map((value) => () => value),
  (args) => args[0],
];

/**
 * Chooses, among tests that are not in the suite, those of the program that passes the most; others fill up.
 * @param candidates in the order of preference
 */
export function chooseEasyTests(candidates: readonly UnitTest[], suite: readonly UnitTest[]): readonly UnitTest[] {
  const used = suite.map(({ args }) => JSON.stringify(args));
  const left = candidates.filter(({ args }) => !used.includes(JSON.stringify(args)));
  const passed = IGNORANT.map((program) => left.filter(({ args, expected }) => same(program(args), expected)));
  const sorted = passed.toSorted((a, b) => b.length - a.length);
  return [...new Set(sorted.flat())].slice(0, EASY_TESTS);
}
