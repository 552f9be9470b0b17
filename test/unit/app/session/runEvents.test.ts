import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultConfiguration, tablesFor } from '../../../../src/app/address/pageTables.ts';
import { controlsAt, linkOf, withChange } from '../../../../src/app/address/url.ts';
import { runName } from '../../../../src/app/session/naming.ts';
import {
  controlLabel,
  listEffectiveChanges,
  planned,
  type Sampled,
  valueText,
  withoutTie,
  withSample,
} from '../../../../src/app/session/runEvents.ts';
import { RunModel } from '../../../../src/app/session/runModel.ts';
import type { ParameterValues } from '../../../../src/parameters/parameters.ts';
import { ENVIRONMENT_NAMES } from '../../../../src/training/data/configuration.ts';
import type { RunEvent } from '../../../../src/training/data/protocol.ts';
import { groupOf, savedRun } from '../appFixtures.ts';

const base = defaultConfiguration();
const turn = (step: number, changes: RunEvent['changes'], kind: RunEvent['kind'] = 'change'): RunEvent => ({
  step,
  kind,
  changes,
  text: 'as the worker reports it',
});
const describeEvents = (events: readonly RunEvent[]) =>
  listEffectiveChanges(base, events).map(({ step, text }) => `${step} ${text}`);

describe('events of a run', () => {
  test('an event of a run states the labels of its controls and the titles of its rules', () => {
    expect(describeEvents([turn(3, { rule: 'grpo-or', rewardSkip: -0.5 })])).toEqual([
      '3 Credit rule: MT-GRPO → GRPO-OR, Tool skipped: −0.2 → −0.5',
    ]);
  });

  test('a rule change that is undone before the next update is not an event', () => {
    expect(describeEvents([turn(10, { rule: 'grpo-or' }), turn(10, { rule: 'mt-grpo' })])).toEqual([]);
    expect(describeEvents([turn(10, { rule: 'grpo-or' }), turn(12, { rule: 'mt-grpo' })])).toHaveLength(2);
  });

  test('twelve changes of one control at the same step are one event', () => {
    const presses = Array.from({ length: 12 }, (_, press) => turn(4, { rewardSkip: -0.25 - press / 20 }));
    expect(describeEvents(presses)).toEqual(['4 Tool skipped: −0.2 → −0.8']);
  });

  test('a scheduled change is distinguished from a manual change at the same step, and notes are retained', () => {
    const note = { ...turn(9, {}, 'recovered'), text: 'device lost at step 12, continued from step 9' };
    const events = [turn(8, { rule: 'grpo-or' }, 'schedule'), turn(8, { klCoef: 0.1 }), note, turn(9, {}, 'unplanned')];
    expect(describeEvents(events)).toEqual([
      '8 Credit rule: MT-GRPO → GRPO-OR (scheduled)',
      '8 KL to the warm start: 0 → 0.1',
      '9 device lost at step 12, continued from step 9',
      '9 The scheduled changes were cancelled',
    ]);
  });

  test('after a recovery to an earlier step, each change starts from the value active at its step', () => {
    const events = [turn(25, { klCoef: 0.2 }), turn(20, {}, 'recovered'), turn(22, { klCoef: 0.1 })];
    expect(
      listEffectiveChanges(base, events).map(({ step, changes }) => [step, changes[0]?.from, changes[0]?.to]),
    ).toEqual([
      [25, 0.1, 0.2],
      [20, undefined, undefined],
      [22, 0, 0.1],
    ]);
  });

  test('the name of a run omits rule changes that cancel each other at one step', () => {
    const clicks = ['grpo-or', 'mt-grpo', 'grpo-or', 'mt-grpo'].map((rule) => turn(1, { rule }));
    expect(runName(savedRun({ step: 2, events: clicks }))).toBe('MT-GRPO, seed 1');
  });

  test.each(ENVIRONMENT_NAMES)('%s: every control has a unique label without code identifiers', (environment) => {
    const labels = tablesFor(environment).controls.map(({ name }) => controlLabel(environment, name));
    expect(new Set(labels).size).toBe(labels.length);
    for (const label of labels) expect(label).not.toMatch(/[a-z][A-Z][a-z]/);
    expect(valueText('repair', 'inter', '')).toBe('none');
    expect(['rules', 'judge', 'unreliable'].map((value) => valueText('search', 'turnReward', value))).toEqual([
      'rule-based',
      'judge model',
      'biased judge',
    ]);
    expect(valueText('search', 'absent', 'zero')).toBe('count as zero reward');
    expect(valueText('repair', 'turnReward', 'solved')).toBe('solved');
    expect(controlLabel(environment, 'of a newer version')).toBe('of a newer version');
  });
});

describe('the link of a run', () => {
  test('the link of a run omits changes that were undone', () => {
    const redundant = [turn(36, { rewardSkip: -0.5 }), turn(36, { rewardSkip: base.controls.rewardSkip ?? 0 })];
    expect(redundant.reduce(withChange, base)).toEqual(base);
    const both = [turn(10, { rule: 'grpo-or' }), turn(10, { klCoef: 0.1 }), turn(10, { rule: 'mt-grpo' })];
    expect(both.reduce(withChange, base).schedule).toEqual([{ step: 10, changes: { klCoef: 0.1 } }]);
  });

  test('in a link, a manual change overrides a scheduled change of the same step, also at the first step', () => {
    const plan = { ...base, schedule: [{ step: 0, changes: { rule: 'grpo-mr', klCoef: 0.1 } }] };
    const link = withChange(plan, turn(0, { rule: 'grpo-or' }));
    expect(controlsAt(link, 0)).toMatchObject({ rule: 'grpo-or', klCoef: 0.1 });
  });

  test('the link of a run has its controls at every update, and the events state each change that took effect', () => {
    const values = { rule: ['mt-grpo', 'grpo-or', 'grpo-mr'], klCoef: [0, 0.1, 0.2] };
    const changes = fc.record(
      { rule: fc.constantFrom(...values.rule), klCoef: fc.constantFrom(...values.klCoef) },
      { requiredKeys: [] },
    );
    const some = changes.filter((set) => Object.keys(set).length > 0);
    const steps = fc.integer({ min: 0, max: 6 });
    const plans = fc.uniqueArray(fc.record({ step: steps, changes: some }), { selector: ({ step }) => step });
    const manualPlans = fc.array(fc.record({ step: steps, changes: some }), { maxLength: 12 });
    const property = fc.property(plans, manualPlans, fc.option(steps, { nil: 99 }), (plan, manual, dropped) => {
      const schedule = [...plan].sort((a, b) => a.step - b.step);
      const configuration = { ...base, schedule };
      const events: RunEvent[] = [];
      const expected: ParameterValues[] = [];
      let controls: ParameterValues = base.controls;
      const change = (step: number, set: RunEvent['changes'], kind: RunEvent['kind']) => {
        const changed = Object.entries(set).filter(([name, value]) => controls[name] !== value);
        if (changed.length === 0) return;
        controls = { ...controls, ...Object.fromEntries(changed) };
        events.push(turn(step, Object.fromEntries(changed), kind));
      };
      for (let step = 0; step <= 6; step += 1) {
        if (step <= dropped)
          for (const entry of schedule.filter((item) => item.step === step)) change(step, entry.changes, 'schedule');
        for (const entry of manual.filter((item) => item.step === step)) change(step, entry.changes, 'change');
        if (step === dropped) events.push(turn(step, {}, 'unplanned'));
        expected.push(controls);
      }
      const saved = savedRun({ configuration, events, step: 7 });
      const link = linkOf(saved);
      expect(expected.map((_, step) => controlsAt(link, step))).toEqual(expected);
      const run = new RunModel(configuration, saved);
      expect(run.controls).toEqual(controls);
      // An update used every reported change, and every change that an update used is reported.
      const felt = expected.flatMap((now, step) => {
        const before = expected[step - 1] ?? base.controls;
        return Object.entries(now).flatMap(([name, to]) =>
          before[name] === to ? [] : [{ step, name, from: before[name], to }],
        );
      });
      const displayed = run.appliedEvents.flatMap(({ step, changes }) => changes.map((entry) => ({ step, ...entry })));
      expect(displayed).toHaveLength(felt.length);
      expect(displayed).toEqual(expect.arrayContaining(felt));
    });
    fc.assert(property);
  });
});

describe('planned changes', () => {
  const schedule = [
    { step: 20, changes: { rule: 'grpo-or' } },
    { step: 40, changes: { rule: 'grpo-or', klCoef: 0.05 } },
  ];

  test('planned changes are listed in advance and reduced to the values that will change', () => {
    expect(planned({ ...base, schedule }, base.controls, 5).map(({ step, text }) => [step, text])).toEqual([
      [20, 'Credit rule: MT-GRPO → GRPO-OR'],
      [40, 'KL to the warm start: 0 → 0.05'],
    ]);
    expect(planned({ ...base, schedule }, base.controls, 20).map(({ step }) => step)).toEqual([40]);
  });

  test('the list of planned changes is reused until a step passes an entry or a control changes', () => {
    const run = new RunModel({ ...base, schedule });
    const first = run.planned;
    expect(run.planned).toBe(first);
    run.apply({ type: 'event', event: turn(0, { rule: 'grpo-mr' }) });
    expect(run.planned.map(({ text }) => text)[0]).toBe('Credit rule: GRPO-MR → GRPO-OR');
    run.apply({ type: 'event', event: turn(0, {}, 'unplanned') });
    expect(run.planned).toEqual([]);
    expect(run.link.schedule).toEqual([]);
  });
});

test('the last of several unconfirmed changes takes effect, regardless of the order of confirmations', () => {
  const run = new RunModel(base);
  run.expect({ klCoef: 0.1 });
  run.expect({ klCoef: 0.2 });
  run.apply({ type: 'event', event: turn(3, { klCoef: 0.1 }) });
  expect(run.controls.klCoef).toBe(0.2);
  run.apply({ type: 'event', event: turn(3, { klCoef: 0.2 }) });
  expect(run.unconfirmed).toEqual({});
  run.apply({ type: 'event', event: turn(5, { klCoef: 0.3 }, 'schedule') });
  expect(run.controls.klCoef).toBe(0.3);
});

const sample = (number: number, step = 4) => ({ ...groupOf({ step }), sampleOnly: true, sample: number });

test('samples are listed once, with their step and a mark for tied samples', () => {
  const first = sample(1);
  const turns = first.forest.turns.map((turn) => (turn.outcome === undefined ? turn : { ...turn, outcome: 0.2 }));
  const tied = { ...sample(2, 5), forest: { ...first.forest, turns } };
  let known: readonly Sampled[] = [];
  for (const group of [groupOf(), first, { ...first }, tied]) known = withSample(known, group);
  known = withoutTie(known, 6, 32);
  expect(known.map(({ step, group, isTied, samples }) => [step, group?.sample, isTied, samples])).toEqual([
    [4, 1, false, undefined],
    [5, 2, true, undefined],
    [6, undefined, false, 32],
  ]);
});

test('the last 20 samples are retained', () => {
  let known: readonly Sampled[] = [];
  for (let number = 1; number <= 25; number++) known = withSample(known, sample(number));
  expect(known.map(({ group }) => group?.sample)).toEqual(Array.from({ length: 20 }, (_, index) => index + 6));
});
