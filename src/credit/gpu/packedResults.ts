import { countResultUint32s, testCount, testResults } from '../arithmetic/unitTests.ts';
import type { ForestView } from './forestView.ts';
import type { BatchArray } from './stage.ts';

// Results of unit tests as the GPU reads them: one bit a turn and test.

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
  fill: (view) => view.once(packedResults).packed,
};

interface PackedResults {
  readonly testOffset: Uint32Array;
  readonly resultOffset: Uint32Array;
  readonly packed: Uint32Array;
}

/** @throws {CreditError} as testResults() does */
function packedResults({ forest: { groups } }: ForestView): PackedResults {
  const testOffset = new Uint32Array(groups.length + 1);
  const resultOffset = new Uint32Array(groups.length + 1);
  groups.forEach((group, index) => {
    testOffset[index + 1] = testOffset[index] + testCount(group);
    resultOffset[index + 1] = resultOffset[index] + countResultUint32s(group);
  });
  const packed = new Uint32Array(resultOffset[groups.length]);
  groups.forEach((group, index) => {
    const results = testResults(group);
    const stride = Math.ceil(results.length / 32);
    for (let turn = 0; turn < results.length; turn++) {
      const passed = results[turn];
      let position = resultOffset[index] + (turn >>> 5);
      for (let test = 0; test < passed.length; test++, position += stride)
        packed[position] |= passed[test] << (turn & 31);
    }
  });
  return { testOffset, resultOffset, packed };
}
