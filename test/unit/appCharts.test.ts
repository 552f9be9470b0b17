import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columnOf } from '../../src/app/charts/columns.ts';
import { decimate, everyKth } from '../../src/app/charts/decimate.ts';
import { MAIN_CHART, SMALL_CHARTS, showValue } from '../../src/app/charts/definitions.ts';
import { labelRows, marksOf, spreadLabels, stepDomain, valueDomain } from '../../src/app/charts/scales.ts';
import { fromSlider, SLIDER_STEPS, toSlider } from '../../src/app/elements/sliderScale.ts';
import { curvesCsv, groupJsonLine } from '../../src/app/exports.ts';
import { describeComponents, plain, shade, signed, spreads } from '../../src/app/group/numbers.ts';
import { TRAINING_CONTROLS } from '../../src/training/controls.ts';
import { groupOf, metricsOf } from './appFixtures.ts';

describe('decimation', () => {
  test('keeps short curves whole', () => {
    expect(decimate([0, 0, 0, 0], 100)).toEqual([0, 1, 2, 3]);
  });

  test('keeps the ends and every extreme of long ones, in order, four points a bucket at most', () => {
    const values = fc.array(fc.double({ noNaN: true }), { minLength: 50, maxLength: 400 });
    const property = fc.property(values, (curve) => {
      const kept = decimate(curve, 10);
      const shown = kept.map((index) => curve[index] ?? 0);
      expect(kept.length).toBeLessThanOrEqual(40);
      expect(kept).toEqual([...new Set(kept)].sort((a, b) => a - b));
      expect([kept[0], kept.at(-1)]).toEqual([0, curve.length - 1]);
      expect(Math.min(...shown)).toBe(Math.min(...curve));
      expect(Math.max(...shown)).toBe(Math.max(...curve));
    });
    fc.assert(property);
  });

  test('columns grow with their list', () => {
    const metrics = [metricsOf(0, { toolUse: 0.1, searchProbability: null })];
    expect([...columnOf(metrics, 'toolUse')]).toEqual([0.1]);
    for (let step = 1; step < 300; step += 1) metrics.push(metricsOf(step, { toolUse: step / 300 }));
    expect(columnOf(metrics, 'toolUse')).toHaveLength(300);
    expect(columnOf(metrics, 'toolUse')[299]).toBe(299 / 300);
    expect(columnOf(metrics, 'step')[299]).toBe(299);
    expect(columnOf(metrics, 'searchProbability')[0]).toBeNaN();
  });

  test('thins a table and always shows its last row', () => {
    expect(everyKth(10, 4)).toEqual({ indices: [0, 3, 6, 9], every: 3 });
    expect(everyKth(11, 4)).toEqual({ indices: [0, 3, 6, 9, 10], every: 3 });
    expect(everyKth(0, 4)).toEqual({ indices: [], every: 1 });
  });
});

describe('axes', () => {
  test('grow in strides', () => {
    expect([0, 30, 31, 1000, 1001, 4200].map((step) => stepDomain(step)[1])).toEqual([30, 30, 60, 1000, 1500, 4500]);
  });

  test('begin at zero or below, and survive constant and missing values', () => {
    const [rewards, search] = SMALL_CHARTS;
    if (!rewards || !search) throw new Error('charts are missing');
    expect(valueDomain(rewards, [metricsOf(0, { rewardTurn: -0.2, rewardOutcome: 0.7 })])).toEqual([-0.2, 0.7]);
    expect(valueDomain(rewards, [metricsOf(0, { rewardTurn: 0, rewardOutcome: 0 })])).toEqual([0, 0.5]);
    expect(valueDomain(rewards, [metricsOf(0, { rewardTurn: -1e-7, rewardOutcome: 0.7 })])).toEqual([0, 0.7]);
    expect(valueDomain(search, [])).toEqual([0, 1]);
  });

  test('every chart tells its lines apart without colour', () => {
    for (const { series } of [MAIN_CHART, ...SMALL_CHARTS]) {
      expect(new Set(series.map(({ dash }) => dash)).size).toBe(series.length);
    }
  });
});

describe('marks', () => {
  test('name the rule', () => {
    const [mark] = marksOf([{ step: 60, kind: 'change', changes: { rule: 'grpo-or', klCoef: 1 }, text: 'all of it' }]);
    expect(mark).toMatchObject({
      step: 60,
      label: 'rule → GRPO-OR',
      short: '→ GRPO-OR',
      text: 'all of it',
      rule: true,
    });
  });

  test('stand in rows, without touching', () => {
    expect(labelRows([0, 10, 20, 120], [100, 50, 50, 50], 2)).toEqual([0, 1, -1, 0]);
  });

  test('at the ends of lines are moved apart, inside the plot', () => {
    expect(spreadLabels([50, 51, 10], 12, 0, 60)).toEqual([48, 60, 10]);
  });
});

describe('numbers', () => {
  test.each([
    [0.674, '+0.67'],
    [-1.205, '−1.21'],
    [-0.001, '0'],
    [Number.NaN, '–'],
  ])('%f is shown as %s', (value, text) => expect(signed(value)).toBe(text));

  test('rewards and percentages', () => {
    expect(plain(-0.2)).toBe('−0.2');
    expect(showValue(MAIN_CHART, 0.954)).toBe('95%');
    expect(showValue(MAIN_CHART, Number.NaN)).toBe('–');
    expect([shade(1), shade(-9), shade(0)]).toEqual([0.5, -1, 0]);
  });

  test('a group in words', () => {
    const group = groupOf();
    expect(describeComponents(group.rollouts[0]?.turns.slice(0, -1) ?? [])).toBe('executed 0.2, retrieved 0.3');
    expect(spreads(group, 'advantage').map(({ low, high }) => [low, high])).toEqual([
      [-1.4, 1.4],
      [-0.7, 0.7],
    ]);
  });
});

describe('sliders', () => {
  const numbers = TRAINING_CONTROLS.filter((parameter) => parameter.kind === 'number');

  test.each(numbers)('$name reaches both ends and stays in its range', (parameter) => {
    expect(fromSlider(parameter, 0)).toBe(parameter.min);
    expect(fromSlider(parameter, SLIDER_STEPS)).toBe(parameter.max);
    const inside = fc.property(fc.double({ min: 0, max: SLIDER_STEPS, noNaN: true }), (position) => {
      const value = fromSlider(parameter, position);
      expect(value).toBeGreaterThanOrEqual(parameter.min);
      expect(value).toBeLessThanOrEqual(parameter.max);
      // Two digits are kept, so a logarithmic slider moves by at most 5 % of a decade.
      expect(Math.abs(fromSlider(parameter, toSlider(parameter, value)) - value)).toBeLessThanOrEqual(
        value * 0.06 + 1e-9,
      );
    });
    fc.assert(inside);
  });
});

describe('exports', () => {
  test('curves as CSV, with a column a component', () => {
    const [header, first, second] = curvesCsv([metricsOf(0), metricsOf(1, { rule: 'a"b,c' })]).split('\n');
    expect(header).toMatch(/^step,rule,toolUse,.*,component:executed,component:right$/);
    expect(first).toMatch(/^0,mt-grpo,0\.5,.*,0\.1,0\.2$/);
    expect(second).toMatch(/^1,"a""b,c",/);
    expect(curvesCsv([])).toBe('\n');
  });

  test('a group as a line of the rollout format', () => {
    const line = JSON.parse(groupJsonLine(groupOf()));
    expect(line.id).toBe('step-12-group-3');
    expect(
      line.turns.map(({ parent, reward, outcome, tokens }: Record<string, number>) => [
        parent,
        reward,
        outcome,
        tokens,
      ]),
    ).toEqual([
      [-1, 0.5, undefined, 2],
      [0, 0, 1, 1],
      [-1, -0.2, undefined, 1],
      [2, 0, 0.2, 1],
    ]);
  });
});
