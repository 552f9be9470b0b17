import { describe, expect, test } from 'vitest';
import { bootstrap, interval } from '../../../../src/experiments/inference/inference.ts';
import {
  agreements,
  correlation,
  estimate,
  isClear,
  precision,
  type Step,
  trueAdvantage,
} from '../../../../src/experiments/truth/trueAdvantages.ts';

const step = (cluster: number, truth: number, advantages: number[], error = 0): Step => ({
  cluster,
  truth: { mean: truth, error },
  advantages,
});

describe('estimates of true advantages', () => {
  test('the error of an estimate includes one sample at each end of the range', () => {
    // Samples 1, 0 and range ends 0, 1: variance 4 · 1/4 / 3 = 1/3, error sqrt(1/3 / 4).
    expect(estimate([1, 0], [0, 1])).toEqual({ mean: 0.5, error: Math.sqrt(1 / 12) });
    // Samples 0, 0 and range ends 0, 1: mean 1/4, squares 3/16 + 9/16 = 3/4, variance 1/4, error sqrt(1/16).
    expect(estimate([0, 0], [0, 1])).toEqual({ mean: 0, error: 0.25 });
  });

  test('a true advantage is the reward plus the discounted next value minus the state value', () => {
    const advantage = trueAdvantage({ mean: 0.5, error: 0.3 }, 0.1, { mean: 1, error: 0.5 }, 0.8);
    expect(advantage.mean).toBeCloseTo(0.1 + 0.8 - 0.5, 12);
    expect(advantage.error).toBeCloseTo(0.5, 12); // sqrt(.3² + (.8 · .5)²)
    expect(trueAdvantage({ mean: 0.25, error: 0.1 }, 1, undefined, 1)).toEqual({ mean: 0.75, error: 0.1 });
  });

  test('the sign of an advantage is clear beyond three standard errors', () => {
    expect([0.31, 0.3, -0.31, 0].map((mean) => isClear({ mean, error: 0.1 }))).toEqual([true, false, true, false]);
    expect([0.01, 0].map((mean) => isClear({ mean, error: 0 }))).toEqual([true, false]);
  });

  test('reliability is the share of the variance of advantages that is not error', () => {
    // Truths -1, 0, 1: variance 1; errors .5, so a quarter of it is noise.
    const measured = precision([-1, 0, 1].map((truth) => step(0, truth, [], 0.5)));
    expect(measured).toEqual({ deviation: 1, error: 0.5, reliability: 0.75 });
    expect(precision([-1, 1].map((truth) => step(0, truth, [], 9))).reliability).toBe(0);
  });
});

describe('correlation', () => {
  test('correlation matches a calculation by hand', () => {
    // Deviations -1, 0, 1 and -1/3, -4/3, 5/3: products 2, squares 2 and 42/9.
    expect(correlation([1, 2, 3], [2, 1, 4])).toBeCloseTo(2 / Math.sqrt(2 * (42 / 9)), 12);
    expect(correlation([1, 2], [5, 3])).toBeCloseTo(-1, 12);
  });

  test('correlation is NaN if a variable does not vary', () => {
    expect([correlation([1, 1], [1, 2]), correlation([1, 2], [0, 0]), correlation([], [])]).toEqual([NaN, NaN, NaN]);
  });
});

describe('bootstrap', () => {
  test('bootstrap resamples whole clusters, as many as there are', () => {
    const samples = bootstrap([4, 4, 7], 200, 1, (members) => [
      members.length,
      members.filter((member) => member === 0).length,
    ]);
    // Members 0 and 1 are in one cluster: sizes 2 (7 twice), 3 (one each) or 4 (4 twice).
    for (const [size, zero] of samples) expect([2, 3, 4].indexOf(size)).toBe(zero);
    // Half of the resamples contain each cluster once.
    const mixed = samples.filter(([size]) => size === 3).length;
    expect(mixed).toBeGreaterThan(70);
    expect(mixed).toBeLessThan(130);
  });

  test('a bootstrap draw depends only on the seed and its index', () => {
    const draw = (draws: number, seed: number) => bootstrap([0, 1, 2, 3, 4], draws, seed, (members) => members);
    expect(draw(5, 3)).toEqual(draw(9, 3).slice(0, 5));
    expect(draw(5, 3)).not.toEqual(draw(5, 4));
  });

  test('a bootstrap interval is the middle 95 % of the draws', () => {
    const draws = Array.from({ length: 41 }, (_, index) => 40 - index);
    expect(interval(20, draws)).toEqual({ value: 20, low: 1, high: 39 });
    expect(interval(20, [1, NaN, NaN])).toEqual({ value: 20, low: NaN, high: NaN });
    expect(interval(0.5, [0, 1, NaN]).low).toBeCloseTo(0.025, 12);
  });
});

describe('agreement of rules with the truth', () => {
  const steps = [
    step(0, 1, [2, -1], 0.1),
    step(0, -1, [-2, 1], 0.1),
    step(1, 0.2, [0.4, NaN], 0.1), // not clear
    step(1, -0.5, [-1, 0], 0.1),
  ];

  test('signs of advantages are counted on clear steps, without pruned turns', () => {
    const [first, second] = agreements(steps, 2, 1, 100);
    expect(first).toMatchObject({ steps: 4, clear: 3, wrong: 0, silent: 0 });
    expect(second).toMatchObject({ steps: 3, clear: 3, wrong: 2 / 3, silent: 1 / 3 });
  });

  test('leakage is the share of absolute credit on turns whose exact advantage is 0', () => {
    const exact = [step(0, 0.5, [2, 1]), step(0, 0, [1, NaN]), step(1, -0.5, [-3, 2]), step(1, 1e-9, [-2, 1])];
    const [first, second] = agreements(exact, 2, 1, 0);
    expect(first.leakage).toBeCloseTo(3 / 8, 8); // (1 + 2) / (2 + 1 + 3 + 2)
    expect(second.leakage).toBeCloseTo(1 / 4, 8); // 1 / (1 + 2 + 1): the pruned turn is left out
    const zeroAdvantages = exact.map((turn) => ({ ...turn, advantages: [0] }));
    expect(agreements(zeroAdvantages, 1, 1, 0)[0].leakage).toBe(0);
  });

  test('leakage is not defined for measured advantages, or without a turn of advantage 0', () => {
    const measured = [step(0, 0.5, [2]), step(0, 0, [1], 0.1)];
    expect(agreements(measured, 1, 1, 0)[0].leakage).toBeNaN();
    expect(agreements([step(0, 0.5, [2]), step(0, -0.5, [1])], 1, 1, 0)[0].leakage).toBeNaN();
  });

  test('correlations have intervals, and differences from the correlation of the first rule', () => {
    const [first, second] = agreements(steps, 2, 1, 500);
    expect(first.correlation.value).toBeCloseTo(1, 12);
    expect(first.correlation.low).toBeCloseTo(1, 12);
    expect(first.ahead).toEqual({ value: 0, low: 0, high: 0 });
    const expected = correlation([-1, 1, 0], [1, -1, -0.5]);
    expect(second.correlation.value).toBeCloseTo(expected, 12);
    expect(second.ahead.value).toBeCloseTo(expected - 1, 12);
  });
});
