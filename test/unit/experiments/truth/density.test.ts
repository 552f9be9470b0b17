import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import figure from '../../../../src/app/lessons/figures/decisionDensity.json' with { type: 'json' };
import {
  DENSITY_SEEDS,
  DENSITY_SETTINGS,
  type DensityRow,
  densityPoints,
  densityRow,
  densityTable,
} from '../../../../src/experiments/truth/density.ts';
import type { MeasuredGroup, TruthReport } from '../../../../src/training/data/truthReport.ts';
import { root } from '../../../files.ts';

const readText = (path: string) => readFileSync(join(root, path), 'utf8');

/** Creates a report of one group whose turns have these true advantages and credits. */
function reportOf(turns: readonly (readonly [advantage: number, credit: number])[], correlation: number) {
  const group = {
    question: '',
    outcomes: [],
    turns: turns.map(([mean, credit]) => ({ advantage: { mean, error: 0.04 }, rules: { 'grpo-or': credit } })),
  } as unknown as MeasuredGroup;
  const rules = [{ rule: 'grpo-or', correlation: { value: correlation, low: NaN, high: NaN } }];
  return { groups: [group], rules } as unknown as TruthReport;
}

test('turns with an absolute advantage above .1 are decisive, and `squared` is their share of squared credit', () => {
  const report = reportOf(
    [
      [0.3, 1],
      [-0.2, -2],
      [0.1, 1],
      [0, 2],
    ],
    0.5,
  );
  expect(densityRow(report, { maxTurns: 2, hops: 1, seed: 3 })).toEqual({
    ...{ maxTurns: 2, hops: 1, seed: 3, turns: 4, decisive: 2 },
    ...{ squared: 0.5, correlation: { 'grpo-or': 0.5 } },
  });
});

test('a rule without credit has no share and no correlation', () => {
  const row = densityRow(reportOf([[0.3, 0]], NaN), { maxTurns: 2, hops: 1, seed: 0 });
  expect([row.squared, row.correlation]).toEqual([null, { 'grpo-or': null }]);
});

test('a point is the mean over its seeds, without seeds that have no value', () => {
  const row = (seed: number, decisive: number, correlation: number | null): DensityRow => ({
    ...{ maxTurns: 3, hops: 1, seed, turns: 10, decisive, squared: 0.5 },
    correlation: { 'grpo-or': correlation, 'mt-grpo': 0.25, rtmc: 0.75 },
  });
  const [point, ...rest] = densityPoints([row(0, 2, 0.4), row(1, 4, null), row(2, 6, 0.6)]);
  expect(rest).toEqual([]);
  expect(point).toMatchObject({ maxTurns: 3, hops: 1, seeds: 3, density: { mean: 0.4 } });
  // t = 4.303 with two degrees of freedom, deviation .2.
  expect(point?.density.half).toBeCloseTo((4.3027 * 0.2) / Math.sqrt(3), 3);
  expect(point?.correlation['grpo-or']?.mean).toBe(0.5);
  expect(densityTable([point])).toContain('| 3 | 1 | 3 | 0.40 ± 0.50 | 0.63 |');
});

test('the figure and the table contain the means of the measured lines, 20 seeds for each setting', () => {
  const lines = readText('docs/reference/decision-density.jsonl').trimEnd().split('\n');
  const rows = lines.map((line): DensityRow => JSON.parse(line));
  const keys = rows.map(({ maxTurns, hops, seed }) => `${maxTurns} ${hops} ${seed}`).sort();
  const expected = DENSITY_SETTINGS.flatMap(([maxTurns, hops]) =>
    DENSITY_SEEDS.map((seed) => `${maxTurns} ${hops} ${seed}`),
  );
  expect(keys).toEqual(expected.sort());
  expect(figure).toEqual(densityPoints(rows));
  expect(readText('docs/reference/decision-density.md')).toContain(densityTable(densityPoints(rows)));
});
