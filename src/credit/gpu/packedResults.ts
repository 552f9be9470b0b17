import { countResultUint32s, testCount, testResults } from '../arithmetic/unitTests.ts';
import type { ForestView } from './forestView.ts';
import type { BatchArray } from './stage.ts';

// Results of unit tests in the layout of the GPU: one bit per turn and test.

/** Offsets of the tests of each group [groups + 1]: group g has the tests testOffset[g] .. testOffset[g + 1] - 1. */
export const testOffset: BatchArray = {
  label: 'test offset',
  type: 'u32',
  extent: 'groups',
  extra: 1,
  fill: (view) => view.once(packedResults).testOffset,
};

/** Offsets of the words of `passed` of each group [groups + 1]. */
export const resultOffset: BatchArray = {
  label: 'result offset',
  type: 'u32',
  extent: 'groups',
  extra: 1,
  fill: (view) => view.once(packedResults).resultOffset,
};

/**
 * Test results [results], one bit per turn and test. With n turns in group g, test j of turn t is bit t % 32 of word
 * resultOffset[g] + j ceil(n / 32) + floor(t / 32). The pass rate of a test is therefore a count of set bits.
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

/** Packs the test results of a batch. @throws {CreditError} in the cases of testResults() */
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
