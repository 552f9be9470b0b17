import type { Value } from '../../sandbox/types.ts';
import { same } from '../shared/execution.ts';
import type { UnitTest } from './repairTasks.ts';

/**
 * Tests that programs pass even if they ignore the question. If every passed test has the same reward, a policy can be
 * rewarded for them without learning to solve the problem.
 */

/** Maximum number of easy tests per problem. */
export const EASY_TESTS = 4;

/** Programs that ignore the question. They return a constant, or their first argument unchanged. */
const CONSTANTS: readonly Value[] = [0, [], 1, -1, null, false, true, ''];
const IGNORANT: readonly ((args: readonly Value[]) => Value)[] = [
  ...CONSTANTS.map((value) => () => value),
  (args) => args[0],
];

/**
 * Selects easy tests that are not in the suite. The tests of the program that passes the most come first, followed by
 * tests of the other programs.
 * @param candidates candidates in the order of preference
 */
export function chooseEasyTests(candidates: readonly UnitTest[], suite: readonly UnitTest[]): readonly UnitTest[] {
  const used = suite.map(({ args }) => JSON.stringify(args));
  const left = candidates.filter(({ args }) => !used.includes(JSON.stringify(args)));
  const passed = IGNORANT.map((program) => left.filter(({ args, expected }) => same(program(args), expected)));
  const sorted = passed.toSorted((a, b) => b.length - a.length);
  return [...new Set(sorted.flat())].slice(0, EASY_TESTS);
}
