import { describe, expect, test } from 'vitest';
import { findClaims } from '../../../../src/experiments/claims/readClaims.ts';
import { COMPARED } from '../../../../src/experiments/compare/comparedEnvironments.ts';
import type { ComparisonPlan } from '../../../../src/experiments/compare/findings.ts';
import {
  errorsByVisits,
  slopeOf,
  type VisitRow,
  visitNumbers,
  visitsMeasured,
} from '../../../../src/experiments/compare/visitMeasure.ts';
import type { TruthSampler } from '../../../../src/experiments/truth/measuredGroup.ts';
import { CounterRandom } from '../../../../src/random/counter.ts';
import type { MeasuredGroup } from '../../../../src/training/data/truthReport.ts';

/** Creates a turn of a rollout in a state from its measured advantage (error .1) and the advantage of the rule. */
const turn = (rollout: number, state: string | undefined, truth: number, estimate: number | null) => ({
  ...{ forestTurn: 0, rollout, turn: 0, summary: '', reward: 0, before: { mean: 0, error: 0 } },
  ...(state === undefined ? {} : { state }),
  advantage: { mean: truth, error: 0.1 },
  rules: { rtmc: estimate },
});

const group = (...turns: MeasuredGroup['turns']): MeasuredGroup => ({ question: '', outcomes: [], turns });

test('errors are grouped by the number of rollouts that visit a state, not by its number of turns', () => {
  const groups = [
    // Rollout 0 visits `a` twice and rollout 1 once, which counts as two visits. `b` has one visit.
    group(turn(0, 'a', 1, 1.5), turn(0, 'a', 0, 0.5), turn(1, 'a', 0, 0.2), turn(1, 'b', 0, -1)),
    // The state `a` of another group is a different state. Pruned turns and turns without a state are omitted.
    group(turn(0, 'a', 0, 1), turn(1, 'c', 0, null), turn(2, undefined, 0, 3)),
  ];
  const rows = errorsByVisits(groups, 'rtmc', 1, 50);
  expect(rows.map(({ from, to, turns }) => [from, to, turns])).toEqual([
    [1, 1, 2],
    [2, 3, 3],
  ]);
  expect(rows[0].bias.value).toBeCloseTo(0, 12);
  expect(rows[0].variance.value).toBeCloseTo(2 - 0.01, 12);
  expect(rows[1].bias.value).toBeCloseTo(0.4, 12);
  expect(rows[1].variance.value).toBeCloseTo(0.03 - 0.01, 12);
  // One group has no bootstrap interval.
  expect(rows[1].bias.low).toBeNaN();
});

test('a mean over N rollouts has a variance that falls as 1 / N, and no bias', () => {
  const random = new CounterRandom(3, 1);
  const groups = Array.from({ length: 400 }, (_, index) => {
    const visits = [1, 2, 4, 8][index % 4];
    const noise = Array.from({ length: visits }, () => 2 * random.next() - 1);
    const estimate = noise.reduce((sum, value) => sum + value, 0) / visits;
    return group(
      ...noise.map((_, rollout) => ({
        ...turn(rollout, 's', 0.3, 0.3 + estimate),
        advantage: { mean: 0.3, error: 0 },
      })),
    );
  });
  const rows = errorsByVisits(groups, 'rtmc', 1, 200);
  expect(rows.map(({ from }) => from)).toEqual([1, 2, 4, 8]);
  for (const { from, bias, variance } of rows) {
    expect(bias.low).toBeLessThan(0);
    expect(bias.high).toBeGreaterThan(0);
    expect(variance.low).toBeLessThan(1 / 3 / from);
    expect(variance.high).toBeGreaterThan(1 / 3 / from);
  }
});

const row = (from: number, turns: number, bias: number, variance: number): VisitRow => {
  const of = (value: number) => ({ value, low: NaN, high: NaN });
  return { from, turns, bias: of(bias), variance: of(variance) };
};

describe('the slope of the variance', () => {
  test('the slope of the variance is −1 for a mean over the visits, and 0 if visits have no effect', () => {
    const mean = [1, 2, 4, 8].map((from) => row(from, 10 * from, 0, 0.3 / from));
    expect(slopeOf(mean)).toBeCloseTo(-1, 12);
    expect(slopeOf([1, 2, 4, 8].map((from) => row(from, 7, 0, 0.3)))).toBeCloseTo(0, 12);
  });

  test('the slope of the variance weights rows by their number of turns', () => {
    // x = 0, ln 2, ln 4; y = ln 1, ln 2, ln 1. In units of ln 2: x = 0, 1, 2 and y = 0, 1, 0.
    // With weights 1, 2, 1: means 1 and 1/2, Σw(x-1)(y-1/2) = (-1)(-1/2) + 0 + (1)(-1/2) = 0.
    // With weights 3, 2, 1: means 2/3 and 1/3,
    // Σw(x-2/3)(y-1/3) = 3(2/9) + 2(2/9) + 1(-4/9) = 6/9, Σw(x-2/3)² = 3(4/9) + 2(1/9) + 1(16/9) = 30/9: slope 1/5.
    const rows = (...turns: number[]) => [row(1, turns[0], 0, 1), row(2, turns[1], 0, 2), row(4, turns[2], 0, 1)];
    expect(slopeOf(rows(1, 2, 1))).toBeCloseTo(0, 12);
    expect(slopeOf(rows(3, 2, 1))).toBeCloseTo(1 / 5, 12);
  });

  test('the slope of the variance omits rows without positive variance, and is null for fewer than two rows', () => {
    expect(slopeOf([row(1, 5, 0, 0.4), row(2, 5, 0, -0.01), row(4, 5, 0, 0.1)])).toBeCloseTo(-1, 12);
    expect(slopeOf([row(1, 5, 0, 0.4), row(2, 5, 0, 0)])).toBeNull();
    expect(slopeOf([])).toBeNull();
  });
});

test('visitNumbers returns the bias of all turns and the values of each row, null for absent numbers of visits', () => {
  const result = visitNumbers([row(1, 3, 0.1, 0.2), row(4, 1, -0.1, 0.05)]);
  expect(result.bias).toBeCloseTo((3 * 0.1 - 0.1) / 4, 12);
  expect(result).toMatchObject({
    ...{ 'bias:1': 0.1, 'variance:1': 0.2, 'bias:2': null, 'variance:2': null, 'bias:4': -0.1, 'variance:4': 0.05 },
    ...{ 'bias:8': null, 'variance:8': null },
  });
  expect(result.slope).toBeCloseTo(-1, 12);
  expect(visitNumbers([])).toMatchObject({ bias: null, slope: null });
});

test('visits are not measured and have no columns unless they are requested', async () => {
  expect(await visitsMeasured({} as TruthSampler, 0)).toEqual({});
  expect(COMPARED.repo.measuring.visits.default).toBe(0);
  const plan = (visits: number) =>
    ({ measuring: { ...{ samples: 8, problems: 0 }, visits } }) as unknown as ComparisonPlan;
  const columns = (visits: number) => COMPARED.repo.columns(plan(visits)).map(({ name }) => name);
  expect(columns(12).filter((name) => !columns(0).includes(name))).toEqual([
    ...[
      'slope',
      'bias',
      'bias:1',
      'variance:1',
      'bias:2',
      'variance:2',
      'bias:4',
      'variance:4',
      'bias:8',
      'variance:8',
    ],
  ]);
  expect(COMPARED.repo.notes(plan(12)).some((note) => note.includes('12 groups'))).toBe(true);
});

test('claim R7 requests the measurement of visits', () => {
  const [{ measuring, tests }] = findClaims('r7')[0].experiments;
  const names = tests.flatMap((entry) =>
    entry.kind === 'paired'
      ? [entry.of, entry.lowerOf].flatMap((of) => (of && 'measured' in of ? [of.measured] : []))
      : [],
  );
  const known = Object.keys(visitNumbers([]));
  expect(measuring?.visits).toBeGreaterThan(0);
  expect(names.length).toBeGreaterThan(tests.length);
  for (const name of names) expect(known).toContain(name);
});
