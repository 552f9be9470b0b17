import type { Group } from '../../rollouts/forest.ts';
import { CreditError } from '../creditError.ts';

// Results of unit tests: the tests that the program of each turn passed.

/** Maximum number of unit tests per group. A kernel stores them in workgroup memory. */
export const MAX_GROUP_TESTS = 256;

/**
 * Returns the test results of a group [turns][tests], 0 or 1. All turns have the same number of tests.
 * @throws {CreditError} that names group, turn and field `passed`: if it is missing, empty, longer than
 *   MAX_GROUP_TESTS, of another length than in the first turn, or has a value that is not 0 or 1
 */
export function testResults({ id, turns }: Group): readonly (readonly number[])[] {
  const tests = turns[0]?.passed?.length;
  return turns.map(({ passed }, turn) => {
    const problem = problemOf(passed, tests);
    if (problem !== undefined || !passed) throw new CreditError(id, turn, 'passed', `${problem}`);
    return passed;
  });
}

/**
 * Describes the error in the test results of a turn. Returns undefined if they are valid.
 * @param tests number of tests of the first turn
 */
function problemOf(passed: unknown, tests: number | undefined): string | undefined {
  if (!Array.isArray(passed)) return 'missing: this rule needs the result of each unit test, 0 or 1, on every turn';
  if (passed.length === 0 || passed.length > MAX_GROUP_TESTS)
    return `${passed.length} tests, not 1 to ${MAX_GROUP_TESTS}`;
  if (passed.length !== tests) return `${passed.length} tests, but turn 0 of the group has ${tests}`;
  // A plain loop, because a batch may have millions of results.
  for (let test = 0; test < tests; test++) {
    if (passed[test] !== 0 && passed[test] !== 1) return `[${test}] is ${passed[test]}, not 0 or 1`;
  }
}

/** Returns the number of tests of a checked group, 0 without turns. */
export function testCount({ turns: [first] }: Group): number {
  return first?.passed?.length ?? 0;
}

/** Returns the number of 32-bit words for the results of a group: one bit per turn for each test. */
export function countResultUint32s(group: Group): number {
  return testCount(group) * Math.ceil(group.turns.length / 32);
}
