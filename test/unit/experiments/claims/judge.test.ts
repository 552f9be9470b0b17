import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  countOf,
  decideCounts,
  INTERIM_LEVEL,
  judge,
  LEVEL,
  pooled,
  shortfall,
  statusOf,
} from '../../../../src/experiments/claims/judge.ts';
import { root } from '../../../files.ts';

/** Reference values of SciPy. */
const { verdicts: results, twoAnalyses } = JSON.parse(
  readFileSync(join(root, 'test/fixtures/statistics/exact.json'), 'utf8'),
);
const more = { hypothesis: 'more', margin: 0.02 } as const;

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
    expect(judge(more, [5])).toMatchObject({ status: 'open', reason: 'one seed is not enough' });
  });

  test('the conclusion on differences weakens monotonically with stronger correction', () => {
    const result = judge(more, [-0.031, -0.024, -0.038, -0.027, -0.029, -0.033]);
    const times = [1, 30, 1e9].map((count) => statusOf(more, result, count));
    expect(times).toEqual(['reverse', 'no such gain', 'open']);
  });

  test('the conclusion on outcomes that are 0 or 1 uses an exact test', () => {
    const binary = { hypothesis: 'more', margin: 0.1, binary: 0.5 } as const;
    const differences = (favour: number, against: number, same: number) => [
      ...[...Array(favour).fill(1), ...Array(against).fill(-1), ...Array(same).fill(0)],
    ];
    // Five of five have probability 2 / 32 = .0625, and six of six have 2 / 64.
    expect(judge(binary, differences(5, 0, 0))).toMatchObject({
      ...{ status: 'open', probability: expect.closeTo(0.0625, 12) },
    });
    expect(judge(binary, differences(6, 0, 4))).toMatchObject({ status: 'holds', mean: 0.6 });
    expect(judge(binary, differences(0, 6, 4)).status).toBe('reverse');
    expect(judge(binary, differences(0, 0, 10))).toMatchObject({ status: 'open', probability: 1 });
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
      [0.5, 4],
      [0.25, 8],
      [0, 0],
    ]);
    expect([count.count, count.of]).toEqual([4, 12]);
    expect(shortfall({ minimum: 300 }, count)).toBe('12 of the 300 that it takes');
    expect(shortfall({ minimum: 12 }, count)).toBeUndefined();
    expect(decideCounts([pooled([[0, 36]])], 0.01, LEVEL).status).toBe('open');
  });
});
