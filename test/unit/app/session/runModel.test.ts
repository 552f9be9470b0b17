import { describe, expect, test } from 'vitest';
import { defaultConfiguration } from '../../../../src/app/address/pageTables.ts';
import { controlsAt, restarted, withChange } from '../../../../src/app/address/url.ts';
import { describePreset, presetFor, presetOf, runName } from '../../../../src/app/session/naming.ts';
import { RunModel } from '../../../../src/app/session/runModel.ts';
import type { RunEvent } from '../../../../src/training/data/protocol.ts';
import { PRESETS, presetRun } from '../../../../src/training/data/worlds.ts';
import { metricsOf, savedRun } from '../appFixtures.ts';

const base = defaultConfiguration();
const change = (step: number, changes: RunEvent['changes'], kind: RunEvent['kind'] = 'change'): RunEvent => ({
  step,
  kind,
  changes,
  text: '',
});

describe('the link of a run', () => {
  test('the link of a run contains a manual change as a scheduled change of the same step', () => {
    const link = withChange(base, change(60, { rule: 'grpo-or' }));
    expect(link.schedule).toEqual([{ step: 60, changes: { rule: 'grpo-or' } }]);
    const again = withChange(link, change(60, { rule: 'grpo-mr', klCoef: 0.1 }));
    expect(again.schedule).toEqual([{ step: 60, changes: { rule: 'grpo-mr', klCoef: 0.1 } }]);
  });

  test('a change before the first update changes the initial controls in the link of a run', () => {
    const link = withChange(base, change(0, { rule: 'grpo-or' }));
    expect(link.controls.rule).toBe('grpo-or');
    expect(link.schedule).toEqual([]);
  });

  test('the link of a run does not repeat scheduled changes', () => {
    expect(withChange(base, change(60, { rule: 'grpo-or' }, 'schedule'))).toBe(base);
  });

  test('the controls of any step are computed from the link of a run', () => {
    const link = withChange(base, change(60, { rule: 'grpo-or' }));
    expect(controlsAt(link, 59).rule).toBe('mt-grpo');
    expect(controlsAt(link, 60).rule).toBe('grpo-or');
  });
});

describe('a reset', () => {
  const schedule = [{ step: 20, changes: { rule: 'grpo-or' } }];
  const configuration = { ...base, schedule };

  test('a reset retains manual changes and undoes scheduled changes', () => {
    const events = [change(20, { rule: 'grpo-or' }, 'schedule'), change(30, { klCoef: 0.1 })];
    const now = { ...base.controls, rule: 'grpo-or', klCoef: 0.1 };
    const { controls } = restarted(configuration, now, events, schedule);
    expect(controls).toEqual({ ...base.controls, klCoef: 0.1 });
  });

  test('a reset retains a rule that the user selected after a scheduled change', () => {
    const events = [change(20, { rule: 'grpo-or' }, 'schedule'), change(30, { rule: 'grpo-mr' })];
    const now = { ...base.controls, rule: 'grpo-mr' };
    expect(restarted(configuration, now, events, schedule).controls.rule).toBe('grpo-mr');
  });
});

describe('the model of a run', () => {
  test('the model of a run combines the messages of its worker', () => {
    const run = new RunModel(base);
    run.apply({ type: 'ready', configuration: base, device: { engine: 'wgsl', name: 'D', software: false }, step: 0 });
    run.apply({ type: 'status', status: 'playing' });
    run.apply({ type: 'metrics', metrics: metricsOf(0, { stepMs: 100 }) });
    run.apply({ type: 'metrics', metrics: metricsOf(1, { stepMs: 300 }) });
    run.apply({ type: 'event', event: change(2, { rule: 'grpo-or' }) });
    expect(run).toMatchObject({ status: 'playing', step: 2, stepsPerSecond: 5, device: { name: 'D' } });
    expect(run.controls.rule).toBe('grpo-or');
    expect(run.link.schedule).toEqual([{ step: 2, changes: { rule: 'grpo-or' } }]);
    expect(run.revision).toBe(5);
  });

  test('the model of a run replaces its curve from the step of a recovery', () => {
    const run = new RunModel(base);
    for (const step of [0, 1, 2, 3]) run.apply({ type: 'metrics', metrics: metricsOf(step, { toolUse: 0.1 }) });
    run.apply({ type: 'metrics', metrics: metricsOf(2, { toolUse: 0.9 }) });
    expect(run.metrics.map(({ step, toolUse }) => [step, toolUse])).toEqual([
      [0, 0.1],
      [1, 0.1],
      [2, 0.9],
    ]);
    expect(run.step).toBe(3);
  });

  test('the model of a saved run continues with its curve and controls', () => {
    const events = [change(1, { rule: 'grpo-or' })];
    const saved = savedRun({ step: 3, events, metrics: [0, 1, 2].map((step) => metricsOf(step)) });
    const run = new RunModel(saved.configuration, saved);
    expect(run.metrics).toHaveLength(3);
    expect(run.controls.rule).toBe('grpo-or');
    expect(run.link.schedule).toEqual([{ step: 1, changes: { rule: 'grpo-or' } }]);
    run.apply({ type: 'metrics', metrics: metricsOf(3) });
    expect(saved.metrics).toHaveLength(3);
  });

  test('the model of a run contains only the latest problem of each kind', () => {
    const run = new RunModel(base);
    const problem = (message: string) =>
      ({ type: 'problem', problem: { kind: 'device-lost', message, step: 1, recovery: 'automatic' } }) as const;
    run.apply(problem('first'));
    run.apply(problem('second'));
    expect(run.problems.map(({ message }) => message)).toEqual(['second']);
  });
});

describe('names of runs and presets', () => {
  test.each(PRESETS)('the configuration of the preset $name is recognized at any seed', (preset) => {
    expect(presetOf({ ...presetRun(preset), seed: 9 })).toBe(preset.name);
  });

  test('a run with changed controls has no preset name', () => {
    expect(presetOf({ ...base, controls: { ...base.controls, klCoef: 0.5 } })).toBe('');
  });

  test('a preset retains the batch sizes of the user, and its description states this', () => {
    const early = PRESETS.find(({ name }) => name === 'switch-early');
    if (!early) throw new Error('the preset is missing');
    const present = { ...base, seed: 4, controls: { ...base.controls, questions: 4, klCoef: 0.5, rule: 'grpo-mr' } };
    const started = presetFor(early, present);
    expect(started).toMatchObject({ seed: 4, controls: { questions: 4, klCoef: 0, rule: 'mt-grpo' } });
    expect(presetOf(started)).toBe('switch-early');
    expect(describePreset(early, started)).toEqual({
      sets: 'Sets Reliable documents, Credit rule MT-GRPO, Known facts 0.75, Hallucination 1, from step 20 Credit rule GRPO-OR. All other values are the defaults.',
      retained: 'Keeps your batch sizes: Questions per step 4.',
    });
    expect(describePreset(early, base).retained).toBe('');
    expect(presetFor(early, { ...defaultConfiguration('repair'), controls: { questions: 4 } }).controls.questions).toBe(
      16,
    );
  });

  test('the name of a run has its rules and its seed', () => {
    const saved = savedRun({
      metrics: [metricsOf(0)],
      events: [change(5, { rule: 'grpo-or' }), change(6, { klCoef: 1 })],
    });
    expect(runName(saved)).toBe('MT-GRPO → GRPO-OR, seed 1');
  });
});

test('a change that the worker rejects is undone and not applied to the next run', () => {
  const run = new RunModel(savedRun().configuration);
  const { rule, klCoef } = run.controls;
  run.apply({ type: 'event', event: { step: 0, kind: 'change', changes: { klCoef: 0.3 }, text: 'klCoef' } });
  run.expect({ rule: 'rtmc' });
  expect([run.controls.rule, run.controls.klCoef]).toEqual(['rtmc', 0.3]);
  const problem = { kind: 'configuration', message: 'rule is "rtmc"', step: 0, recovery: 'none' } as const;
  run.apply({ type: 'problem', problem });
  expect([run.controls.rule, run.controls.klCoef, klCoef === 0.3]).toEqual([rule, 0.3, false]);
  expect(run.changesSinceCheckpoint.flatMap(({ changes }) => Object.keys(changes))).toEqual(['klCoef']);
});
