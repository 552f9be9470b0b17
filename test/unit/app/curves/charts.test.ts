import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromSlider, SLIDER_STEPS, toSlider } from '../../../../src/app/controls/parameterControl.ts';
import { CHARTS, filterChartLines, showValue } from '../../../../src/app/curves/chartDefinitions.ts';
import { everyKth, wrap } from '../../../../src/app/curves/chartExports.ts';
import { layoutLabels, marksOf, reachOf } from '../../../../src/app/curves/chartMarks.ts';
import { decimate, stepDomain, valueDomain } from '../../../../src/app/curves/drawLines.ts';
import { columnOf, metricOf, readValueAt } from '../../../../src/app/curves/series.ts';
import { digits, isCut, plain, shade, signed } from '../../../../src/app/drawing/numbers.ts';
import { listAdvantageRanges } from '../../../../src/app/group/advantageRanges.ts';
import { describeComponents } from '../../../../src/app/group/groupTable.ts';
import { curvesCsv, curvesFile, groupJsonLine } from '../../../../src/app/runs/runFiles.ts';
import { RunModel } from '../../../../src/app/session/runModel.ts';
import { ENVIRONMENTS } from '../../../../src/environments/registry.ts';
import { ENVIRONMENT_NAMES, type EnvironmentName } from '../../../../src/training/data/configuration.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import { TRAINING_CONTROLS } from '../../../../src/training/data/controls.ts';
import type { Metrics } from '../../../../src/training/data/protocol.ts';
import { groupOf, metricsOf } from '../appFixtures.ts';

describe('decimation', () => {
  test('decimation keeps all points of a short curve', () => {
    expect(decimate([0, 0, 0, 0], 100)).toEqual([0, 1, 2, 3]);
  });

  test('decimation keeps the ends and extremes of a long curve in order, with at most four points per bucket', () => {
    const values = fc.array(fc.double({ noNaN: true }), { minLength: 50, maxLength: 400 });
    const property = fc.property(values, (curve) => {
      const indices = decimate(curve, 10);
      const points = indices.map((index) => curve[index] ?? 0);
      expect(indices.length).toBeLessThanOrEqual(40);
      expect(indices).toEqual([...new Set(indices)].sort((a, b) => a - b));
      expect([indices[0], indices.at(-1)]).toEqual([0, curve.length - 1]);
      expect(Math.min(...points)).toBe(Math.min(...curve));
      expect(Math.max(...points)).toBe(Math.max(...curve));
    });
    fc.assert(property);
  });

  test('a metric column is extended when its list of metrics grows', () => {
    const metrics = [metricsOf(0, { toolUse: 0.1, searchProbability: null })];
    expect([...columnOf(metrics, 'toolUse')]).toEqual([0.1]);
    for (let step = 1; step < 300; step += 1) metrics.push(metricsOf(step, { toolUse: step / 300 }));
    expect(columnOf(metrics, 'toolUse')).toHaveLength(300);
    expect(columnOf(metrics, 'toolUse')[299]).toBe(299 / 300);
    // Updates count from 1.
    expect(columnOf(metrics, 'update')[299]).toBe(300);
    expect(columnOf(metrics, 'searchProbability')[0]).toBeNaN();
  });

  test('decimation of a table keeps its last row', () => {
    expect(everyKth(10, 4)).toEqual({ indices: [0, 3, 6, 9], every: 3 });
    expect(everyKth(11, 4)).toEqual({ indices: [0, 3, 6, 9, 10], every: 3 });
    expect(everyKth(0, 4)).toEqual({ indices: [], every: 1 });
  });
});

describe('axes', () => {
  test('the step axis grows in strides', () => {
    expect([0, 30, 31, 1000, 1001, 4200].map((step) => stepDomain(step)[1])).toEqual([30, 30, 60, 1000, 1500, 4500]);
  });

  test('the value axis starts at or below zero, also for constant and missing values', () => {
    const [rewards, search] = ['rewards', 'search'].map((id) => CHARTS.search.small.find((chart) => chart.id === id));
    if (!rewards || !search) throw new Error('charts are missing');
    expect(valueDomain(rewards, [metricsOf(0, { rewardTurn: -0.2, rewardOutcome: 0.7 })])).toEqual([-0.2, 0.7]);
    expect(valueDomain(rewards, [metricsOf(0, { rewardTurn: 0, rewardOutcome: 0 })])).toEqual([0, 0.5]);
    expect(valueDomain(rewards, [metricsOf(0, { rewardTurn: -1e-7, rewardOutcome: 0.7 })])).toEqual([0, 0.7]);
    expect(valueDomain(search, [])).toEqual([0, 1]);
  });

  test('the lines of every chart are distinguishable without colour', () => {
    for (const name of ENVIRONMENT_NAMES) {
      const { main, small } = CHARTS[name];
      const configuration = defaultConfiguration(name);
      for (const { settings } of ENVIRONMENTS[name].worlds ?? [{ settings: {} }]) {
        const run = {
          metrics: [],
          configuration: { ...configuration, settings: { ...configuration.settings, ...settings } },
        };
        for (const chart of [main, ...small]) {
          const { series } = chart.series.some(({ when }) => when) ? filterChartLines(chart, run) : chart;
          expect(new Set(series.map(({ dash }) => dash)).size).toBe(series.length);
        }
      }
    }
  });
});

describe('lines of watched turns', () => {
  const counts = { retrieved: 20, outdated: 5, missed: 5, malformed: 50, skippedRight: 15, skippedWrong: 5 };
  const decision = Object.entries(counts).flatMap(([name, count]) => [
    [`${name}Count`, count],
    [`${name}Credit`, 1],
  ]);
  const row = metricsOf(0, { decision: { ...Object.fromEntries(decision), tiedCount: 40, push: 1 } });
  const value = (id: string, label: string) => {
    const line = CHARTS.search.small.find((chart) => chart.id === id)?.series.find((series) => series.label === label);
    return line ? metricOf(row, line.key) : undefined;
  };

  test('the shares of executed, malformed and skipped first turns add up to 1', () => {
    expect(['Executed search', 'Malformed call', 'Search skipped'].map((label) => value('calls', label))).toEqual([
      0.3, 0.5, 0.2,
    ]);
  });

  test('the share of well-formed calls is relative to all calls', () => {
    expect(value('format', 'Well-formed of all calls')).toBe(0.375);
  });

  test('the shares of first turns are NaN for an update without counts', () => {
    expect(metricOf(metricsOf(0, {}), 'turns:malformed')).toBeNaN();
  });
});

describe('charts of an environment', () => {
  const runOf = (environment: EnvironmentName, metrics: Metrics[]) => ({
    metrics,
    configuration: defaultConfiguration(environment),
  });
  const filterCharts = (environment: EnvironmentName, metrics: Metrics[]) =>
    CHARTS[environment].small.filter(({ when }) => when?.(runOf(environment, metrics)) ?? true);
  const ids = (charts: readonly { id: string }[]) => charts.map(({ id }) => id);

  test.each(ENVIRONMENT_NAMES)('every environment metric in a chart of %s is reported by updates', (environment) => {
    const { facts, heldOut } = ENVIRONMENTS[environment];
    const known = [...facts.map(({ name }) => `fact:${name}`), ...heldOut.map(({ name }) => `heldOut:${name}`)];
    const { main, small } = CHARTS[environment];
    const keys = [main, ...small].flatMap(({ series }) => series.map(({ key }) => key));
    const specific = keys.filter((key) => /^(fact|heldOut):/.test(key));
    expect(known).toEqual(expect.arrayContaining(specific));
    const lines = filterChartLines(main, runOf(environment, [])).series;
    if (environment !== 'search') expect(lines.filter(({ key }) => key.startsWith('fact:')).length).toBe(3);
    expect(new Set(keys.filter((key) => key.startsWith('phase:'))).size).toBe(5);
  });

  test('chart values are read from environment metrics, and are NaN if the metrics have no value', () => {
    const row = metricsOf(3, { facts: { pass1: 0.4, repaired: null }, heldOut: { iter1: 0.7 } });
    expect(metricOf(row, 'fact:pass1')).toBe(0.4);
    expect(metricOf(row, 'fact:repaired')).toBeNaN();
    expect(metricOf(row, 'heldOut:iter1')).toBe(0.7);
    const lacking = metricsOf(3, { facts: {}, heldOut: null, creditMs: null });
    expect(metricOf(lacking, 'fact:pass1')).toBeNaN();
    expect(metricOf(lacking, 'heldOut:iter1')).toBeNaN();
    expect(metricOf(lacking, 'phase:generation')).toBe(40);
    expect(metricOf(lacking, 'phase:credit')).toBeNaN();
    expect(ids(filterCharts('search', [lacking]))).toContain('phases');
  });

  test('the chart separates the phases of an update if the device has timestamps, and they add up', () => {
    const timed = metricsOf(0, { generateMs: 50, executeMs: 10, creditMs: 0.5, optimizeMs: 58 });
    const last = (metrics: Metrics[]) => filterCharts('repair', metrics).at(-1);
    expect(last([timed])?.series.map(({ key }) => metricOf(timed, key))).toEqual([40, 10, 0.5, 58]);
    const plain = metricsOf(0, { generateMs: 50, executeMs: 10 });
    const together = last([plain]);
    expect(together?.series.map(({ key }) => metricOf(plain, key))).toEqual([40, 10, 60]);
    expect(together?.caption).toContain('no timestamps');
    expect(ids(filterCharts('repair', [timed, plain])).filter((id) => id === 'phases')).toHaveLength(1);
  });

  test('the main chart of the bandit has the lines of the active process', () => {
    const selectChart = (process: string) => {
      const run = runOf('bandit', []);
      const configuration = { ...run.configuration, settings: { ...run.configuration.settings, process } };
      return filterChartLines(CHARTS.bandit.main, { ...run, configuration });
    };
    const keys = (process: string) => selectChart(process).series.map(({ key }) => key);
    expect(keys('two-turns')).toEqual(['fact:key', 'fact:right', 'fact:bait']);
    expect(keys('delayed')).toEqual(['fact:good', 'fact:solved']);
    expect(keys('recovery')).toEqual(['fact:good', 'fact:recovered', 'fact:solved']);
    expect(keys('stopping')).toEqual(['fact:solved']);
    expect(selectChart('delayed')).toBe(selectChart('delayed'));
  });

  test('held-out values appear with their first point and remain until the next point', () => {
    const before = [metricsOf(0), metricsOf(1)];
    const metrics = [...before, metricsOf(2, { heldOut: { solved: 0.3 } }), metricsOf(3)];
    const { main } = CHARTS.repo;
    expect(ids(filterCharts('repo', before))).not.toContain('held-out');
    expect(ids(filterCharts('repo', metrics))).toContain('held-out');
    const without = filterChartLines(main, runOf('repo', before));
    expect(without.series.map(({ sparse }) => sparse)).toEqual([false, false, false]);
    expect(filterChartLines(main, runOf('repo', before))).toBe(without);
    expect(filterChartLines(main, runOf('repo', metrics))).toBe(main);
    const line = main.series[3];
    if (!line) throw new Error('the line is missing');
    expect([0, 1, 2, 3].map((index) => readValueAt(metrics, line, index))).toEqual([Number.NaN, Number.NaN, 0.3, 0.3]);
    const solved = metricsOf(0, { facts: { solved: 0.5 } });
    expect(readValueAt([solved, metricsOf(1)], { key: 'fact:solved', sparse: false }, 1)).toBeNaN();
  });
});

describe('chart marks', () => {
  test('the mark of a rule change has the name of the new rule', () => {
    const changes = [
      { name: 'rule', from: 'mt-grpo', to: 'grpo-or' },
      { name: 'searchCost', from: 0.05, to: -0.22 },
    ];
    const marks = marksOf('search', [{ step: 60, kind: 'change', changes, text: 'all of it' }]);
    expect(marks).toMatchObject([
      { step: 60, label: 'rule → GRPO-OR', short: '→ GRPO-OR', text: 'all of it', rule: true, planned: false },
      { step: 60, label: 'Search cost → −0.22', short: '', text: 'all of it', rule: false, planned: false },
    ]);
  });

  test('scheduled changes have marks, and the axis extends to the next mark if it is near', () => {
    const rule = (step: number) => {
      return {
        ...{ step, kind: 'schedule' as const, text: 'Credit rule: GRPO-OR → MT-GRPO' },
        changes: [{ name: 'rule', from: 'grpo-or', to: 'mt-grpo' }],
      };
    };
    const marks = marksOf('search', [], [rule(80), rule(700)]);
    expect(marks[0]).toMatchObject({ step: 80, planned: true, label: 'scheduled: rule → MT-GRPO' });
    expect(marks[0]?.text).toBe('Scheduled after update 80: Credit rule: GRPO-OR → MT-GRPO');
    expect([0, 79, 90].map((step) => reachOf(step, marks.slice(0, 1)))).toEqual([80, 80, 90]);
    expect(reachOf(10, marks.slice(1))).toBe(10);
    expect(reachOf(10, [])).toBe(10);
  });

  test('labels of marks are inside the plot without overlap; rule changes and newer marks have priority', () => {
    const anyMark = fc.record({
      x: fc.double({ min: 40, max: 640, noNaN: true }),
      width: fc.oneof(fc.constant(0), fc.double({ min: 10, max: 200, noNaN: true })),
      first: fc.boolean(),
    });
    const property = fc.property(fc.array(anyMark, { maxLength: 20 }), fc.constantFrom(1, 2), (marks, rows) => {
      const positions = layoutLabels(marks, rows, 40, 640);
      const boxes = marks.flatMap(({ x, width }, index) => {
        const { row, isFlipped } = positions[index] ?? { row: -1, isFlipped: false };
        return row < 0
          ? []
          : [{ row, x, from: isFlipped ? x - 4 - width : x + 4, to: isFlipped ? x - 4 : x + 4 + width }];
      });
      for (const box of boxes) {
        expect(box.from).toBeGreaterThanOrEqual(40);
        expect(box.to).toBeLessThanOrEqual(640 + 1e-9);
        for (const neighbour of boxes) {
          if (neighbour === box) continue;
          if (neighbour.row === box.row) expect(neighbour.from >= box.to || box.from >= neighbour.to).toBe(true);
          if (neighbour.row < box.row) expect(neighbour.x > box.from && neighbour.x < box.to).toBe(false);
        }
      }
      const foremost = marks.filter(({ width }) => width > 0).sort((a, b) => +b.first - +a.first || b.x - a.x)[0];
      if (foremost) expect(positions[marks.indexOf(foremost)]?.row).toBe(0);
    });
    // The last bit of a position decides which of two marks is newer.
    const near = [639.9999999403954, 639.9999999403955].map((x) => ({ x, width: 10, first: true }));
    fc.assert(property, { examples: [[near, 1]] });
    const same = { x: 100, width: 90 };
    expect(
      layoutLabels(
        [
          { ...same, first: false },
          { ...same, first: true },
        ],
        2,
        0,
        600,
      ),
    ).toEqual([
      { row: 1, isFlipped: false },
      { row: 0, isFlipped: false },
    ]);
  });
});

describe('numbers', () => {
  test.each([
    [0.674, '+0.67'],
    [-1.205, '−1.21'],
    [-0.001, '0'],
    [Number.NaN, '–'],
  ])('the advantage %f is displayed as %s', (value, text) => expect(signed(value)).toBe(text));

  test.each([
    [-0.004, '0.00'],
    [-0.006, '−0.01'],
    [1.234, '1.23'],
    [null, '–'],
  ])('the true value %f is displayed as %s', (value, text) => expect(digits(value)).toBe(text));

  test('a bar is cut if its value is above 2 or below −2', () => {
    expect([2, -2, 2.1, -4.1].map(isCut)).toEqual([false, false, true, true]);
  });

  test('rewards, percentages and shades of advantages are rounded and clamped for display', () => {
    expect(plain(-0.2)).toBe('−0.2');
    expect(showValue(CHARTS.search.main, 0.954)).toBe('95%');
    expect(showValue(CHARTS.search.main, Number.NaN)).toBe('–');
    expect([shade(1), shade(-9), shade(0)]).toEqual([0.5, -1, 0]);
  });

  test('the summary of a group lists its reward components and the advantage range of each turn', () => {
    const group = groupOf();
    expect(describeComponents(group.rollouts[0]?.turns.slice(0, -1) ?? [])).toBe('executed 0.2, retrieved 0.3');
    expect(listAdvantageRanges(group, 'advantage').map(({ low, high }) => [low, high])).toEqual([
      [-1.4, 1.4],
      [-0.7, 0.7],
    ]);
  });
});

describe('sliders', () => {
  const numbers = TRAINING_CONTROLS.filter((parameter) => parameter.kind === 'number');

  test.each(numbers)('the slider of $name reaches both ends and remains in its range', (parameter) => {
    expect(fromSlider(parameter, 0)).toBe(parameter.min);
    expect(fromSlider(parameter, SLIDER_STEPS)).toBe(parameter.max);
    const inside = fc.property(fc.double({ min: 0, max: SLIDER_STEPS, noNaN: true }), (position) => {
      const value = fromSlider(parameter, position);
      expect(value).toBeGreaterThanOrEqual(parameter.min);
      expect(value).toBeLessThanOrEqual(parameter.max);
      // Two digits are retained, so a logarithmic slider moves by at most 5 % of a decade.
      expect(Math.abs(fromSlider(parameter, toSlider(parameter, value)) - value)).toBeLessThanOrEqual(
        value * 0.06 + 1e-9,
      );
    });
    fc.assert(inside);
  });
});

describe('exports', () => {
  test('the CSV file of curves has one column per reward component', () => {
    const [header, first, second] = curvesCsv([metricsOf(0), metricsOf(1, { rule: 'a"b,c' })]).split('\n');
    expect(header).toMatch(/^step,rule,toolUse,.*,component:executed,component:right$/);
    expect(first).toMatch(/^0,mt-grpo,0\.5,.*,0\.1,0\.2$/);
    expect(second).toMatch(/^1,"a""b,c",/);
    expect(curvesCsv([])).toBe('\n');
  });

  test('environment metrics and held-out values have separate CSV columns, also if the first step lacks them', () => {
    const rows = [
      metricsOf(0, { facts: { pass1: 0.25, repaired: null } }),
      metricsOf(1, { facts: { pass1: 0.5, repaired: 0.1 }, heldOut: { iter1: 0.3, iter2: 0.4 } }),
    ];
    const [header, first, second] = curvesCsv(rows).split('\n');
    expect(header).toMatch(/,component:right,fact:pass1,fact:repaired,heldOut:iter1,heldOut:iter2$/);
    expect(header?.split(',')).not.toContain('heldOut');
    expect(first).toMatch(/,0\.25,,,$/);
    expect(second).toMatch(/,0\.5,0\.1,0\.3,0\.4$/);
  });

  test('the file of curves describes its run and each column with a unit', () => {
    const configuration = { ...defaultConfiguration('repair'), seed: 5 };
    const run = new RunModel(configuration);
    for (const step of [0, 1]) {
      run.apply({ type: 'metrics', metrics: metricsOf(step, { rule: 'grpo-mt', facts: { pass1: 0.5 } }) });
    }
    run.apply({ type: 'event', event: { step: 1, kind: 'change', changes: { rule: 'verpo' }, text: '' } });
    const lines = curvesFile(run).split('\n');
    const notes = lines.filter((line) => line.startsWith('#'));
    expect(notes).toEqual(
      expect.arrayContaining([
        '# Run: Repair: GRPO-MT, from step 1 VeRPO; seed 5',
        '# Link: ?v=1&environment=repair&rule=grpo-mt&seed=5&at=1:rule=verpo',
        '# Step 1: Credit rule: GRPO-MT → VeRPO',
        '# stepMs [ms]: the whole update',
        '# fact:pass1 [share 0 to 1]: First programs that pass all tests.',
      ]),
    );
    expect(notes.find((note) => note.startsWith('# Controls at step 0: rule=grpo-mt '))).toContain(' programs=176 ');
    expect(lines.slice(notes.length).join('\n')).toBe(curvesCsv(run.metrics));
    const [header = ''] = curvesCsv(run.metrics).split('\n');
    for (const column of header.split(',')) {
      expect(notes.filter((note) => note.startsWith(`# ${column} [`))).toHaveLength(1);
    }
  });

  test('the file of several runs starts each row with the run number and describes each run', () => {
    const runs = ['grpo-or', 'mt-grpo'].map((rule, index) => {
      const usual = defaultConfiguration();
      const run = new RunModel({ ...usual, seed: index + 4, controls: { ...usual.controls, rule } });
      for (const step of [0, 1]) run.apply({ type: 'metrics', metrics: metricsOf(step, { rule }) });
      return run;
    });
    const [first, ...rest] = runs as [RunModel, RunModel];
    const lines = curvesFile(first, rest).trimEnd().split('\n');
    expect(lines.filter((line) => /^# Run \d\. Run: /.test(line))).toEqual([
      '# Run 1. Run: Search: GRPO-OR; seed 4',
      '# Run 2. Run: Search: MT-GRPO; seed 5',
    ]);
    const table = lines.filter((line) => !line.startsWith('#'));
    const [header = '', ...rows] = curvesCsv([...first.metrics, ...(rest[0]?.metrics ?? [])])
      .trimEnd()
      .split('\n');
    expect(table).toEqual([`run,${header}`, ...rows.map((row, index) => `${index < 2 ? 1 : 2},${row}`)]);
  });

  test('titles of exported figures are broken between words', () => {
    expect(wrap('Tool use and accuracy', 12)).toEqual(['Tool use and', 'accuracy']);
    expect(wrap('unbreakable', 4)).toEqual(['unbreakable']);
  });

  test('the CSV file of a run without environment metrics or held-out tasks has no columns for them', () => {
    const [header, row] = curvesCsv([metricsOf(0, { facts: {}, heldOut: null })]).split('\n');
    expect(row?.split(',').length).toBe(header?.split(',').length);
    expect(header).toMatch(/component:right$/);
  });

  test('a group is exported as one line of the rollout format', () => {
    const line = JSON.parse(groupJsonLine(groupOf()));
    expect(line.id).toBe('step-12-group-4');
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
