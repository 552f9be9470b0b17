import { describe, expect, test } from 'vitest';
import {
  agreements,
  bootstrap,
  correlation,
  estimate,
  interval,
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

describe('estimates', () => {
  test('the error counts one sample at either end of the range', () => {
    // 1, 0 and once more 0 and 1: variance 4 · 1/4 / 3 = 1/3, error sqrt(1/3 / 4).
    expect(estimate([1, 0], [0, 1])).toEqual({ mean: 0.5, error: Math.sqrt(1 / 12) });
    // 0, 0 and 0, 1: mean 1/4, squares 3/16 + 9/16 = 3/4, variance 1/4, error sqrt(1/16).
    expect(estimate([0, 0], [0, 1])).toEqual({ mean: 0, error: 0.25 });
  });

  test('an advantage is the earned reward plus the value ahead, less the expected value', () => {
    const advantage = trueAdvantage({ mean: 0.5, error: 0.3 }, 0.1, { mean: 1, error: 0.5 }, 0.8);
    expect(advantage.mean).toBeCloseTo(0.1 + 0.8 - 0.5, 12);
    expect(advantage.error).toBeCloseTo(0.5, 12); // sqrt(.3² + (.8 · .5)²)
    expect(trueAdvantage({ mean: 0.25, error: 0.1 }, 1, undefined, 1)).toEqual({ mean: 0.75, error: 0.1 });
  });

  test('a sign is clear beyond three standard errors', () => {
    expect([0.31, 0.3, -0.31, 0].map((mean) => isClear({ mean, error: 0.1 }))).toEqual([true, false, true, false]);
    expect([0.01, 0].map((mean) => isClear({ mean, error: 0 }))).toEqual([true, false]);
  });

  test('reliability is the share of the variance that is not error', () => {
    // Truths -1, 0, 1: variance 1; errors .5, so a quarter of it is noise.
    const measured = precision([-1, 0, 1].map((truth) => step(0, truth, [], 0.5)));
    expect(measured).toEqual({ deviation: 1, error: 0.5, reliability: 0.75 });
    expect(precision([-1, 1].map((truth) => step(0, truth, [], 9))).reliability).toBe(0);
  });
});

describe('correlation', () => {
  test('by hand', () => {
    // Deviations -1, 0, 1 and -1/3, -4/3, 5/3: products 2, squares 2 and 42/9.
    expect(correlation([1, 2, 3], [2, 1, 4])).toBeCloseTo(2 / Math.sqrt(2 * (42 / 9)), 12);
    expect(correlation([1, 2], [5, 3])).toBeCloseTo(-1, 12);
  });

  test('is not defined where nothing varies', () => {
    expect([correlation([1, 1], [1, 2]), correlation([1, 2], [0, 0]), correlation([], [])]).toEqual([NaN, NaN, NaN]);
  });
});

describe('bootstrap', () => {
  test('draws whole clusters, as many as there are', () => {
    const samples = bootstrap([4, 4, 7], 200, 1, (members) => [
      members.length,
      members.filter((member) => member === 0).length,
    ]);
    // Members 0 and 1 come together: sizes 2 (7 twice), 3 (one each) or 4 (4 twice).
    for (const [size, zero] of samples) expect([2, 3, 4].indexOf(size)).toBe(zero);
    // One of each half of the time.
    const mixed = samples.filter(([size]) => size === 3).length;
    expect(mixed).toBeGreaterThan(70);
    expect(mixed).toBeLessThan(130);
  });

  test('a draw depends on the seed and its number alone', () => {
    const draw = (draws: number, seed: number) => bootstrap([0, 1, 2, 3, 4], draws, seed, (members) => members);
    expect(draw(5, 3)).toEqual(draw(9, 3).slice(0, 5));
    expect(draw(5, 3)).not.toEqual(draw(5, 4));
  });

  test('the interval is the middle 95 %', () => {
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

  test('signs are counted on clear steps, pruned turns left out', () => {
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

  test('correlations have intervals, and differences to the first rule', () => {
    const [first, second] = agreements(steps, 2, 1, 500);
    expect(first.correlation.value).toBeCloseTo(1, 12);
    expect(first.correlation.low).toBeCloseTo(1, 12);
    expect(first.ahead).toEqual({ value: 0, low: 0, high: 0 });
    const expected = correlation([-1, 1, 0], [1, -1, -0.5]);
    expect(second.correlation.value).toBeCloseTo(expected, 12);
    expect(second.ahead.value).toBeCloseTo(expected - 1, 12);
  });
});
