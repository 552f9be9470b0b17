import type { Group } from '../../rollouts/forest.ts';
import { CreditError } from '../creditError.ts';

// Results of unit tests: what each turn's program passed.

/** The most unit tests of one group: a workgroup keeps them in its memory. */
export const MAX_GROUP_TESTS = 256;

/**
 * [turns][tests]: what each turn passed, 0 or 1; the same number of tests for every turn of the group.
 * @throws {CreditError} naming group, turn and field `passed`: missing, empty, of another length than the first
 *   turn's, more than MAX_GROUP_TESTS, or holding something else than 0 and 1
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
 * Describes the error in the test results of a turn, if there is one.
 * @param tests the number of tests of the first turn
 */
function problemOf(passed: unknown, tests: number | undefined): string | undefined {
  if (!Array.isArray(passed)) return 'missing: this rule needs the result of each unit test, 0 or 1, on every turn';
  if (passed.length === 0 || passed.length > MAX_GROUP_TESTS)
    return `${passed.length} tests, not 1 to ${MAX_GROUP_TESTS}`;
  if (passed.length !== tests) return `${passed.length} tests, but turn 0 of the group has ${tests}`;
  // A plain loop: a batch may hold millions of results.
  for (let test = 0; test < tests; test++) {
    if (passed[test] !== 0 && passed[test] !== 1) return `[${test}] is ${passed[test]}, not 0 or 1`;
  }
}

/** The number of tests of a group that has been checked, 0 without turns. */
export function testCount({ turns: [first] }: Group): number {
  return first?.passed?.length ?? 0;
}

/** Words of 32 results that a group takes: for each test one bit a turn. */
export function countResultUint32s(group: Group): number {
  return testCount(group) * Math.ceil(group.turns.length / 32);
}
