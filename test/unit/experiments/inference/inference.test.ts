import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { holm, meanInterval, meanTest } from '../../../../src/experiments/inference/inference.ts';
import {
  bootstrapInterval,
  drawsOf,
  improvement,
  interquartileMean,
  quantile,
} from '../../../../src/experiments/inference/resampling.ts';
import { studentBound, studentTails } from '../../../../src/experiments/inference/student.ts';
import { root } from '../../../files.ts';

/** Made by make.py in the same folder, with SciPy, rliable and statsmodels. */
const NUMBERS = JSON.parse(readFileSync(join(root, 'test/fixtures/statistics/statistics.json'), 'utf8'));

/** So close are two doubles that were computed in different ways. */
const expectClose = (actual: number, expected: number) =>
  expect(Math.abs(actual - expected), `${actual}, not ${expected}`).toBeLessThanOrEqual(
    1e-9 * Math.max(1, Math.abs(expected)),
  );

describe('Student’s t, as SciPy has it', () => {
  test('in its bounds', () => {
    for (const { freedom, tails, bound } of NUMBERS.student.bounds) expectClose(studentBound(tails, freedom), bound);
    expect(NUMBERS.student.bounds).toHaveLength(36);
  });

  test('in its tails', () => {
    for (const { freedom, t, tails } of NUMBERS.student.tails) {
      expect(studentTails(t, freedom)).toBeCloseTo(tails, 12);
      expect(studentTails(-t, freedom)).toBe(studentTails(t, freedom));
    }
    expect([studentTails(Infinity, 3), studentTails(NaN, 3)]).toEqual([0, NaN]);
  });

  test('in intervals and tests of means', () => {
    for (const { values, interval, tests } of NUMBERS.means) {
      const { low, high } = meanInterval(values);
      expectClose(low, interval[0]);
      expectClose(high, interval[1]);
      for (const { bound, probability } of tests) expectClose(meanTest(values, bound), probability);
    }
  });

  test('draws no conclusion from one value, and handles values that are all the same', () => {
    expect(meanInterval([0.3])).toEqual({ mean: 0.3, low: -Infinity, high: Infinity });
    expect(meanTest([0.3], 0)).toBe(1);
    expect([meanTest([0.5, 0.5], 0), meanTest([0.5, 0.5], 0.5)]).toEqual([0, 1]);
  });
});

describe('the interquartile mean and its bootstrap, as rliable has them', () => {
  test('the mean', () => {
    for (const { values, mean } of NUMBERS.quartiles) expectClose(interquartileMean(values), mean);
  });

  test('the interval, resample by resample', () => {
    for (const { strata, iqm, indices, interval } of NUMBERS.bootstrap) {
      expectClose(interquartileMean(strata.flat()), iqm);
      const actual = bootstrapInterval(strata, interquartileMean, indices.length, (at) => indices[at]);
      expectClose(actual[0], interval[0]);
      expectClose(actual[1], interval[1]);
    }
  });

  test('the interval from separate draws is within the sampling error of 20,000 resamples', () => {
    const { strata, reps, interval } = NUMBERS.longBootstrap;
    const actual = bootstrapInterval(strata, interquartileMean, reps);
    const width = interval[1] - interval[0];
    expect(Math.abs(actual[0] - interval[0])).toBeLessThan(0.03 * width);
    expect(Math.abs(actual[1] - interval[1])).toBeLessThan(0.03 * width);
  });

  test('draws stay inside their stratum, are the same again, and differ from resample to resample', () => {
    const strata = [[1, 2], [3, 4, 5], [6]];
    const draws = drawsOf(strata);
    const all = Array.from({ length: 200 }, (_, resample) => draws(resample));
    for (const item of all) {
      expect(item.map((members) => members.length)).toEqual([2, 3, 1]);
      item.forEach((members, stratum) => {
        for (const member of members) expect(strata[stratum][member]).toBeDefined();
      });
    }
    expect(draws(7)).toEqual(all[7]);
    expect(new Set(all.map((item) => JSON.stringify(item))).size).toBeGreaterThan(90);
  });

  test('the probability of improvement', () => {
    for (const { one: first, other: second, probability } of NUMBERS.improvements) {
      const strata = first.map((members: number[], stratum: number) => [members, second[stratum]] as const);
      expectClose(improvement(strata), probability);
    }
  });

  test('quantiles lie on the line between neighbours', () => {
    expect([quantile([1, 2, 4], 0), quantile([1, 2, 4], 0.75), quantile([1, 2, 4], 1)]).toEqual([1, 3, 4]);
  });
});

test('Holm’s correction, as statsmodels has it', () => {
  for (const { given, adjusted } of NUMBERS.corrections) {
    holm(given).forEach((probability, index) => {
      expectClose(probability, adjusted[index]);
    });
  }
  expect(holm([])).toEqual([]);
});
