import { describe, expect, test } from 'vitest';
import { defaultConfiguration } from '../../../../src/app/address/pageTables.ts';
import { CHARTS } from '../../../../src/app/curves/chartDefinitions.ts';
import { joinedCurves } from '../../../../src/app/curves/joinedCurves.ts';
import { metricOf, readLastValue } from '../../../../src/app/curves/series.ts';
import { laneNames } from '../../../../src/app/session/naming.ts';
import { RunModel } from '../../../../src/app/session/runModel.ts';
import { metricsOf } from '../appFixtures.ts';

/** Returns a run under a rule, with the control changes of some steps. */
function run(rule: string, seed: number, steps: number, changes: Readonly<Record<number, object>> = {}): RunModel {
  const usual = defaultConfiguration();
  const model = new RunModel({ ...usual, seed, controls: { ...usual.controls, rule } });
  for (let step = 0; step < steps; step++) {
    const changed = changes[step] as Record<string, string> | undefined;
    if (changed) model.apply({ type: 'event', event: { step, kind: 'change', changes: changed, text: 'x' } });
    const heldOut = step % 2 === 0 ? { answer: step / 10 } : null;
    model.apply({ type: 'metrics', metrics: metricsOf(step, { toolUse: step / 100 + seed, heldOut }) });
  }
  return model;
}

describe('names of several runs', () => {
  test('the names of several runs state their rules and the steps of their changes', () => {
    const names = laneNames([run('mt-grpo', 1, 9), run('mt-grpo', 1, 9, { 4: { rule: 'grpo-or' } })]);
    expect(names).toEqual([
      { number: 1, title: 'MT-GRPO', short: '1 MT-GRPO' },
      { number: 2, title: 'MT-GRPO, from step 4 GRPO-OR', short: '2 GRPO-OR' },
    ]);
  });

  test('the names of several runs state their seeds if only the seeds differ', () => {
    const names = laneNames([run('mt-grpo', 1, 2), run('mt-grpo', 2, 2)]);
    expect(names.map(({ title, short }) => [title, short])).toEqual([
      ['MT-GRPO, seed 1', '1 seed 1'],
      ['MT-GRPO, seed 2', '2 seed 2'],
    ]);
  });

  test('the name of a run states changed controls if its rule did not change', () => {
    const [, second] = laneNames([run('mt-grpo', 1, 9), run('mt-grpo', 1, 9, { 3: { learningRate: '0.001' } })]);
    expect(second?.title).toMatch(/^MT-GRPO, from step 3 .*0\.001$/);
  });
});

describe('one chart of several runs', () => {
  const { main } = CHARTS.search;
  const line = (key: string) => main.series.find((series) => series.key === key) as (typeof main.series)[number];

  test('the chart of several runs has one line per run, which ends with the run and has its last value', () => {
    const { chart, metrics } = joinedCurves([run('mt-grpo', 1, 6), run('grpo-or', 2, 4)], main, line('toolUse'));
    expect(metrics.map(({ step }) => step)).toEqual([0, 1, 2, 3, 4, 5]);
    const [first, second] = chart.series;
    if (!first || !second) throw new Error('a line is missing');
    expect(metrics.map((row) => metricOf(row, second.key))).toEqual([2, 2.01, 2.02, 2.03, NaN, NaN]);
    expect([readLastValue(metrics, first), readLastValue(metrics, second)]).toEqual([1.05, 2.03]);
    expect(first.colour).not.toBe(second.colour);
    expect(first.dash).not.toBe(second.dash);
  });

  test('the chart of several runs has only points for a metric that is measured at intervals', () => {
    const { chart, metrics } = joinedCurves([run('mt-grpo', 1, 4), run('grpo-or', 2, 4)], main, line('heldOut:answer'));
    const [first] = chart.series;
    if (!first) throw new Error('a line is missing');
    expect(first.sparse).toBe(true);
    expect(metrics.map((row) => metricOf(row, first.key))).toEqual([0, NaN, 0.2, NaN]);
  });

  test('a step that a long run omits has the value of the previous step in the chart of several runs', () => {
    const downsampled = run('mt-grpo', 1, 6);
    const rows = downsampled.metrics.filter(({ step }) => step !== 2);
    const { chart, metrics } = joinedCurves(
      [Object.assign(Object.create(downsampled), { curve: { rows } }), run('grpo-or', 2, 6)],
      main,
      line('toolUse'),
    );
    const [first] = chart.series;
    if (!first) throw new Error('a line is missing');
    expect(metrics.map((row) => metricOf(row, first.key))).toEqual([1, 1.01, 1.01, 1.03, 1.04, 1.05]);
  });

  test('the chart of several runs marks the changes of its runs, and a shared change once', () => {
    const early = { 2: { rule: 'grpo-mr' } };
    const runs = [run('mt-grpo', 1, 6, early), run('mt-grpo', 1, 6, { ...early, 4: { rule: 'grpo-or' } })];
    const { marks } = joinedCurves(runs, main, line('toolUse'));
    expect(marks.map(({ step, label }) => [step, label])).toEqual([
      [2, '1: rule → GRPO-MR'],
      [4, '2: rule → GRPO-OR'],
    ]);
  });
});
