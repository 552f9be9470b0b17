import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  binomialTest,
  exactInterval,
  falseDiscovery,
  mcnemar,
} from '../../../../src/experiments/inference/inference.ts';
import { root } from '../../../files.ts';

/** Reference values of SciPy. */
const NUMBERS = JSON.parse(readFileSync(join(root, 'test/fixtures/statistics/exact.json'), 'utf8'));

test('exact intervals of shares match SciPy', () => {
  for (const { count, total, level, interval } of NUMBERS.intervals)
    expect(exactInterval(count, total, level)).toEqual(interval.map((end: number) => expect.closeTo(end, 10)));
});

test('two-sided binomial tests have twice the smaller tail probability of SciPy', () => {
  for (const { count, total, share, probability } of NUMBERS.binomials)
    expect(binomialTest(count, total, share)).toBeCloseTo(probability, 10);
});

test('McNemar tests match SciPy binomial tests of the pairs that differ', () => {
  for (const { favour, against, probability } of NUMBERS.pairs)
    expect(mcnemar(favour, against)).toBeCloseTo(probability, 12);
});

test('probabilities adjusted for false discoveries match SciPy', () => {
  for (const { given, adjusted } of NUMBERS.discoveries)
    expect(falseDiscovery(given)).toEqual(adjusted.map((value: number) => expect.closeTo(value, 12)));
});
