import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binomialTest, exactInterval, falseDiscovery, mcnemar } from '../../../../src/experiments/inference/exact.ts';
import { root } from '../../../files.ts';

/** Numbers of SciPy. */
const NUMBERS = JSON.parse(readFileSync(join(root, 'test/fixtures/statistics/exact.json'), 'utf8'));

test('exact intervals of shares are those of SciPy', () => {
  for (const { count, total, level, interval } of NUMBERS.intervals)
    expect(exactInterval(count, total, level)).toEqual(interval.map((end: number) => expect.closeTo(end, 10)));
});

test('two-sided binomial tests are twice the smaller tail of SciPy', () => {
  for (const { count, total, share, probability } of NUMBERS.binomials)
    expect(binomialTest(count, total, share)).toBeCloseTo(probability, 10);
});

test('McNemar tests are the binomial tests of SciPy of the pairs that differ', () => {
  for (const { favour, against, probability } of NUMBERS.pairs)
    expect(mcnemar(favour, against)).toBeCloseTo(probability, 12);
});

test('probabilities are adjusted for false discoveries as SciPy does', () => {
  for (const { given, adjusted } of NUMBERS.discoveries)
    expect(falseDiscovery(given)).toEqual(adjusted.map((value: number) => expect.closeTo(value, 12)));
});
