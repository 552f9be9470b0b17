import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  claimedBound,
  countOf,
  decideCounts,
  INTERIM_LEVEL,
  judge,
  LEVEL,
  pooled,
  seedsToDecide,
  shortfall,
  statusOf,
} from '../../../../src/experiments/claims/judge.ts';
import { root } from '../../../files.ts';

/** Reference values of SciPy. */
const { verdicts: results, twoAnalyses } = JSON.parse(
  readFileSync(join(root, 'test/fixtures/statistics/exact.json'), 'utf8'),
);
const more = { hypothesis: 'more', margin: 0.02 } as const;

const binary = { hypothesis: 'more', margin: 0.1, binary: 0.5 } as const;
const differences = (favour: number, against: number, same: number): number[] => [
  ...[...Array(favour).fill(1), ...Array(against).fill(-1), ...Array(same).fill(0)],
];

describe('the conclusion on differences', () => {
  test('the conclusion on differences matches SciPy intervals at the same level, for both hypotheses', () => {
    for (const { hypothesis, margin, level, values, interval, status } of results) {
      const result = judge({ hypothesis, margin }, values, level);
      expect(result.status).toBe(status);
      expect([result.low, result.high]).toEqual(interval.map((end: number) => expect.closeTo(end, 12)));
      expect(result.direction).toBe(interval[0] > 0 ? 'as claimed' : interval[1] < 0 ? 'against' : 'unclear');
    }
  });

  test('the conclusion on differences distinguishes their direction from their size', () => {
    const small = [0.004, 0.005, 0.006, 0.005, 0.004];
    expect(judge(more, small)).toMatchObject({ status: 'no such gain', direction: 'as claimed' });
    expect(judge(more, [0.01, 0.03, 0.02, 0.035, 0.012])).toMatchObject({ status: 'open', direction: 'as claimed' });
  });

  test('the conclusion on differences is open if all differences are equal, and with one seed', () => {
    expect(judge(more, [0.5, 0.5, 0.5])).toMatchObject({ status: 'open', probability: 1, mean: 0.5 });
    expect(judge(more, [0.5, 0.5, 0.5]).reason).toContain('the same difference');
    expect(judge(more, [0.1, 0.1 + 1e-17, 0.30000000000000004 - 0.2]).reason).toContain('the same difference');
    expect(judge(more, [5])).toMatchObject({ status: 'open', reason: 'one seed is not enough' });
  });

  test('the conclusion on differences weakens monotonically with stronger correction', () => {
    const result = judge(more, [-0.031, -0.024, -0.038, -0.027, -0.029, -0.033]);
    const times = [1, 30, 1e9].map((count) => statusOf(more, result, count));
    expect(times).toEqual(['reverse', 'no such gain', 'open']);
  });

  test('the conclusion on outcomes that are 0 or 1 uses an exact test', () => {
    // Five of five have probability 2 / 32 = .0625, and six of six have 2 / 64.
    expect(judge(binary, differences(5, 0, 0))).toMatchObject({
      ...{ status: 'open', probability: expect.closeTo(0.0625, 12) },
    });
    expect(judge(binary, differences(6, 0, 4))).toMatchObject({ status: 'holds', mean: 0.6 });
    expect(judge(binary, differences(0, 6, 4)).status).toBe('reverse');
    expect(judge(binary, differences(0, 0, 10))).toMatchObject({ status: 'open', probability: 1 });
  });

  test('the interval of outcomes that are 0 or 1 contains the true difference in at least 95 % of all samples', () => {
    const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k);
    const seeds = 10;
    for (const [gain, loss] of [
      [0.5, 0],
      [0.3, 0.1],
      [0.05, 0.05],
      [0, 0],
      [1, 0],
    ]) {
      let covered = 0;
      for (let favour = 0; favour <= seeds; favour++) {
        for (let against = 0; favour + against <= seeds; against++) {
          const same = seeds - favour - against;
          const { low, high } = judge(binary, differences(favour, against, same));
          const chance =
            choose(seeds, favour) *
            choose(seeds - favour, against) *
            gain ** favour *
            loss ** against *
            (1 - gain - loss) ** same;
          if (low <= gain - loss && gain - loss <= high) covered += chance;
        }
      }
      expect(covered).toBeGreaterThanOrEqual(0.95);
    }
  });

  test('the estimated number of seeds is the smallest at which a test with the same mean and deviation is decided', () => {
    // Values with mean 0.03 and the sample deviation 0.02, for each number of seeds.
    const decided = (count: number) => {
      const distance = 0.02 * Math.sqrt((count - 1) / count);
      const values = Array.from({ length: count }, (_, seed) => 0.03 + (seed % 2 === 0 ? distance : -distance));
      return judge(more, values).status !== 'open';
    };
    const result = judge(more, [0.01, 0.05]);
    const seeds = seedsToDecide(more, { mean: 0.03, level: LEVEL }, 0.02) ?? Number.NaN;
    const even = seeds + (seeds % 2);
    expect([decided(even), decided(even - 2)]).toEqual([true, false]);
    expect(seedsToDecide(more, { mean: 0.02, level: LEVEL }, 0.02)).toBeUndefined();
    expect(seedsToDecide({ hypothesis: 'keeps', margin: 0.02 }, result, 0.02)).toBeLessThan(seeds);
  });

  test('two analyses at the interim level have a total error rate of 5 %', () => {
    expect(INTERIM_LEVEL).toBe(twoAnalyses.level);
    expect(twoAnalyses.together).toBeCloseTo(LEVEL, 3);
  });
});

describe('the conclusion on counts', () => {
  test('the conclusion on counts holds only if an exact test shows a share of seeds above the bound', () => {
    const of = (...counts: readonly (readonly [number, number])[]) =>
      decideCounts(
        counts.map(([count, total]) => countOf(count, total)),
        0.5,
        LEVEL,
      ).status;
    expect([of([9, 10]), of([8, 10]), of([1, 10]), of([5, 10])]).toEqual(['holds', 'open', 'reverse', 'open']);
    expect([of([5, 5]), of([10, 10], [8, 10]), of([10, 10], [10, 10])]).toEqual(['open', 'open', 'holds']);
  });

  test('pooled counts are summed over all seeds, and require a minimum number', () => {
    const count = pooled([
      { share: 0.5, outOf: 4 },
      { share: 0.25, outOf: 8 },
      { share: 0, outOf: 0 },
    ]);
    expect([count.count, count.of]).toEqual([4, 12]);
    expect(shortfall({ minimum: 300 }, count)).toBe('12 of the 300 that it takes');
    expect(shortfall({ minimum: 12 }, count)).toBeUndefined();
    expect(decideCounts([pooled([{ share: 0, outOf: 36 }])], 0.01, LEVEL).status).toBe('open');
  });
});

test('the bound of a claimed effect is the margin, minus the margin, or 0 for a binary outcome', () => {
  const preserved = { hypothesis: 'keeps', margin: 0.1 } as const;
  expect([{ ...preserved, hypothesis: 'more' } as const, preserved, binary].map(claimedBound)).toEqual([0.1, -0.1, 0]);
});
