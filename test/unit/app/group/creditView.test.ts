import { describe, expect, test } from 'vitest';
import {
  type CreditView,
  FOLLOWING,
  isLeftOut,
  isTheRuns,
  nextCreditView,
  scoredBy,
} from '../../../../src/app/group/scoredGroup.ts';
import { creditOf, liveView, runChoice, withValues } from '../../../../src/app/inspector/choice.ts';
import { inspectView } from '../../../../src/app/inspector/inspected.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import { groupOf } from '../appFixtures.ts';
import { stepsView, treeView } from '../appLiveFixtures.ts';

const repair = defaultConfiguration('repair').controls;

test('a group of a run is shown as programs, states or turns, depending on its data', () => {
  // Turns of the Search environment also have states, but no tool calls to display.
  const signed = groupOf();
  const turns = signed.forest.turns.map((turn) => ({ ...turn, state: 's', action: 'a' }));
  const search = { ...signed, forest: { ...signed.forest, turns } };
  const views = [treeView(), stepsView(), search].map((view) => liveView(view, inspectView(view)));
  expect(views).toEqual(['programs', 'states', 'turns']);
});

describe('the rule that scores a group', () => {
  const run = runChoice('murphy-mers', { ...repair, rule: 'murphy-mers', mersGamma: 0.7 });

  test("the rule of the run scores a group by default, with the run's parameters under the names of the rule", () => {
    expect(run.rule).toBe('murphy-mers');
    const entries = Object.entries(run.values['murphy-mers']).filter(([, value]) => value === 0.7);
    expect(entries).toEqual([['gamma', 0.7]]);
    expect(scoredBy(run, FOLLOWING)).toEqual({ ...run, start: run.values });
    expect(isTheRuns(run, FOLLOWING, 'murphy-mers')).toBe(true);
    expect(isTheRuns(run, FOLLOWING, 'murphy-mars')).toBe(false);
  });

  test('a selected rule scores a group, and parameters that the user did not change follow the run', () => {
    const selected = nextCreditView(FOLLOWING, run, { ...run, rule: 'murphy-mars' });
    expect(selected).toEqual({ rule: 'murphy-mars', values: {} });
    const changed = nextCreditView(
      selected,
      scoredBy(run, selected),
      withValues(scoredBy(run, selected), 'murphy-mars', { m: 1 }),
    );
    expect(changed).toEqual({ rule: 'murphy-mars', values: { 'murphy-mars': { ...run.values['murphy-mars'], m: 1 } } });
    // The run changes the parameter of a rule that the user did not change, so the new value is used.
    const nextRun = runChoice('verpo', { ...repair, mersGamma: 0.2 });
    const choice = scoredBy(nextRun, changed);
    expect([choice.rule, choice.values['murphy-mers'].gamma]).toEqual(['murphy-mars', 0.2]);
    expect(choice.values['murphy-mars']).toBe(changed.values['murphy-mars']);
  });

  test('a rule with changed parameters is not the rule of the run until the parameters are reset', () => {
    const turn = (selection: CreditView, gamma: number) => {
      const before = scoredBy(run, selection);
      return nextCreditView(selection, before, withValues(before, 'murphy-mers', { gamma }));
    };
    const changed = turn(FOLLOWING, 0.1);
    expect(isTheRuns(run, changed, 'murphy-mers')).toBe(false);
    expect(isTheRuns(run, turn(changed, 0.7), 'murphy-mers')).toBe(true);
  });

  test('a rule can use states of another granularity until the recorded granularity is selected again', () => {
    const rtmc = runChoice('rtmc', defaultConfiguration('repo').controls);
    const coarse = nextCreditView(FOLLOWING, rtmc, { ...rtmc, states: 'coarse' }, 'history');
    expect(coarse).toEqual({ values: {}, states: 'coarse' });
    expect(isTheRuns(rtmc, coarse, 'rtmc')).toBe(false);
    const { forest } = stepsView();
    const advantage = (selection: CreditView) => creditOf(forest, scoredBy(rtmc, selection)).credit?.advantage;
    expect(advantage(coarse)).not.toEqual(advantage(FOLLOWING));
    const back = nextCreditView(coarse, scoredBy(rtmc, coarse), { ...rtmc, states: 'history' }, 'history');
    expect(back).toEqual(FOLLOWING);
    // A changed parameter does not change the selected granularity.
    const choice = scoredBy(rtmc, coarse);
    expect(nextCreditView(coarse, choice, withValues(choice, 'rtmc', { kappa: 0 }), 'history').states).toBe('coarse');
  });
});

test('a group with equal outcomes is left out if the run excludes tied groups', () => {
  const on = { filterUniform: 'on' };
  const source = stepsView();
  const turns = source.forest.turns.map((turn) => (turn.outcome === undefined ? turn : { ...turn, outcome: 1 }));
  const tied = { ...source, forest: { ...source.forest, turns } };
  expect([source, tied, treeView()].map((view) => isLeftOut(view, on))).toEqual([false, true, false]);
  expect(isLeftOut(tied, { filterUniform: 'off' })).toBe(false);
  expect(isLeftOut({ ...tied, sampleOnly: true }, on)).toBe(false);
  // Rules with a critic use every group.
  expect(isLeftOut({ ...tied, rule: 'mt-ppo' }, on)).toBe(false);
});
