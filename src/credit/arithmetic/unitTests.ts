import type { Group } from '../../rollouts/forest.ts';
import type { ForestView } from '../gpu/forestView.ts';
import type { BatchArray } from '../gpu/stage.ts';
import { CreditError } from '../rule.ts';

// Results of unit tests: what each turn's program passed.

/** The most unit tests of one group: a workgroup keeps them in its memory. */
export const MOST_TESTS = 256;

/**
 * [turns][tests]: what each turn passed, 0 or 1; the same number of tests for every turn of the group.
 * @throws {CreditError} naming group, turn and field `passed`: missing, empty, of another length than the first
 *   turn's, more than MOST_TESTS, or holding something else than 0 and 1
 */
export function testResults({ id, turns }: Group): readonly (readonly number[])[] {
  const tests = turns[0]?.passed?.length;
  return turns.map(({ passed }, turn) => {
    const problem = problemOf(passed, tests);
    if (problem !== undefined || !passed) throw new CreditError(id, turn, 'passed', `${problem}`);
    return passed;
  });
}

/** What is wrong with the results of a turn, if anything. @param tests the number that the first turn has */
function problemOf(passed: unknown, tests: number | undefined): string | undefined {
  if (!Array.isArray(passed)) return 'missing: this rule needs the result of each unit test, 0 or 1, on every turn';
  if (passed.length === 0 || passed.length > MOST_TESTS) return `${passed.length} tests, not 1 to ${MOST_TESTS}`;
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
export function resultWords(group: Group): number {
  return testCount(group) * Math.ceil(group.turns.length / 32);
}

/** [groups + 1]: the tests of group g are testOffset[g] .. testOffset[g + 1] - 1 of the arrays over tests. */
export const testOffset: BatchArray = {
  label: 'test offset',
  type: 'u32',
  extent: 'groups',
  extra: 1,
  fill: (view) => view.once(packedResults).testOffset,
};

/** [groups + 1]: where each group's words of `passed` begin. */
export const resultOffset: BatchArray = {
  label: 'result offset',
  type: 'u32',
  extent: 'groups',
  extra: 1,
  fill: (view) => view.once(packedResults).resultOffset,
};

/**
 * [results]: one bit a turn and test. With n turns in group g, test j of turn t is bit t % 32 of word
 * resultOffset[g] + j ceil(n / 32) + floor(t / 32): a test's pass rate is a count of set bits.
 */
export const passed: BatchArray = {
  label: 'passed',
  type: 'u32',
  extent: 'results',
  fill: (view) => view.once(packedResults).words,
};

interface PackedResults {
  readonly testOffset: Uint32Array;
  readonly resultOffset: Uint32Array;
  readonly words: Uint32Array;
}

/** @throws {CreditError} as testResults() does */
function packedResults({ forest: { groups } }: ForestView): PackedResults {
  const testOffset = new Uint32Array(groups.length + 1);
  const resultOffset = new Uint32Array(groups.length + 1);
  groups.forEach((group, index) => {
    testOffset[index + 1] = testOffset[index] + testCount(group);
    resultOffset[index + 1] = resultOffset[index] + resultWords(group);
  });
  const words = new Uint32Array(resultOffset[groups.length]);
  groups.forEach((group, index) => {
    const results = testResults(group);
    const stride = Math.ceil(results.length / 32);
    for (let turn = 0; turn < results.length; turn++) {
      const passed = results[turn];
      let word = resultOffset[index] + (turn >>> 5);
      for (let test = 0; test < passed.length; test++, word += stride) words[word] |= passed[test] << (turn & 31);
    }
  });
  return { testOffset, resultOffset, words };
}
