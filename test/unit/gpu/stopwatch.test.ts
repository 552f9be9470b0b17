import { expect, test } from 'vitest';
import { partTimes } from '../../../src/gpu/buffers.ts';

const stamps = (...values: number[]) => BigUint64Array.from(values, BigInt);

test('partTimes measures a part from the start of its first pass to the end of its last pass', () => {
  const times = stamps(1_000_000, 1_500_000, 1_600_000, 2_000_000, 2_000_000, 5_000_000);
  expect(partTimes(times, [0, 0, 1], 2)).toEqual([1, 3]);
});

test('partTimes returns NaN for a part without passes, without timestamps, or with a clock that restarted', () => {
  expect(partTimes(stamps(1_000_000, 2_000_000), [1], 2)).toEqual([Number.NaN, 1]);
  expect(partTimes(stamps(0, 0), [0], 1)).toEqual([Number.NaN]);
  expect(partTimes(stamps(9_000_000, 1_000), [0], 1)).toEqual([Number.NaN]);
});
