import { describe, expect, test } from 'vitest';
import {
  type CreditView,
  FOLLOWING,
  isLeftOut,
  isTheRuns,
  liveView,
  nextCreditView,
  runChoice,
  scoredBy,
} from '../../../../src/app/group/creditView.ts';
import { creditOf, withValues } from '../../../../src/app/inspector/choice.ts';
import { inspectView } from '../../../../src/app/inspector/inspected.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import { groupOf } from '../appFixtures.ts';
import { stepsView, treeView } from '../appLiveFixtures.ts';

const repair = defaultConfiguration('repair').controls;

test('a group of a run is shown with its rule and settings', () => {
  // Turns of the search environment have states too, but no tool calls to read.
  const signed = groupOf();
  const turns = signed.forest.turns.map((turn) => ({ ...turn, state: 's', action: 'a' }));
  const search = { ...signed, forest: { ...signed.forest, turns } };
  const views = [treeView(), stepsView(), search].map((view) => liveView(view, inspectView(view)));
  expect(views).toEqual(['programs', 'states', 'turns']);
});

describe('the rule that judges a group', () => {
  const run = runChoice('murphy-mers', { ...repair, rule: 'murphy-mers', mersGamma: 0.7 });

  test('is the rule of the run with its parameters, under the names of the rule', () => {
    expect(run.rule).toBe('murphy-mers');
    const entries = Object.entries(run.values['murphy-mers']).filter(([, value]) => value === 0.7);
    expect(entries).toEqual([['gamma', 0.7]]);
    expect(scoredBy(run, FOLLOWING)).toEqual({ ...run, start: run.values });
    expect(isTheRuns(run, FOLLOWING, 'murphy-mers')).toBe(true);
    expect(isTheRuns(run, FOLLOWING, 'murphy-mars')).toBe(false);
  });

  test('is the selected rule, and follows the run in everything else', () => {
    const selected = nextCreditView(FOLLOWING, run, { ...run, rule: 'murphy-mars' });
    expect(selected).toEqual({ rule: 'murphy-mars', values: {} });
    const changed = nextCreditView(
      selected,
      scoredBy(run, selected),
      withValues(scoredBy(run, selected), 'murphy-mars', { m: 1 }),
    );
    expect(changed).toEqual({ rule: 'murphy-mars', values: { 'murphy-mars': { ...run.values['murphy-mars'], m: 1 } } });
    // The run turns the parameter of a rule that the reader left alone: it is followed.
    const nextRun = runChoice('verpo', { ...repair, mersGamma: 0.2 });
    const choice = scoredBy(nextRun, changed);
    expect([choice.rule, choice.values['murphy-mers'].gamma]).toEqual(['murphy-mars', 0.2]);
    expect(choice.values['murphy-mars']).toBe(changed.values['murphy-mars']);
  });

  test('with other parameters is not the rule of the run, until they are reset', () => {
    const turn = (selection: CreditView, gamma: number) => {
      const before = scoredBy(run, selection);
      return nextCreditView(selection, before, withValues(before, 'murphy-mers', { gamma }));
    };
    const changed = turn(FOLLOWING, 0.1);
    expect(isTheRuns(run, changed, 'murphy-mers')).toBe(false);
    expect(isTheRuns(run, turn(changed, 0.7), 'murphy-mers')).toBe(true);
  });

  test('may have states of another granularity; the granularity of the group follows the run', () => {
    const rtmc = runChoice('rtmc', defaultConfiguration('repo').controls);
    const coarse = nextCreditView(FOLLOWING, rtmc, { ...rtmc, states: 'coarse' }, 'history');
    expect(coarse).toEqual({ values: {}, states: 'coarse' });
    expect(isTheRuns(rtmc, coarse, 'rtmc')).toBe(false);
    const { forest } = stepsView();
    const advantage = (selection: CreditView) => creditOf(forest, scoredBy(rtmc, selection)).credit?.advantage;
    expect(advantage(coarse)).not.toEqual(advantage(FOLLOWING));
    const back = nextCreditView(coarse, scoredBy(rtmc, coarse), { ...rtmc, states: 'history' }, 'history');
    expect(back).toEqual(FOLLOWING);
    // Turning a parameter meanwhile leaves the states as they were chosen.
    const choice = scoredBy(rtmc, coarse);
    expect(nextCreditView(coarse, choice, withValues(choice, 'rtmc', { kappa: 0 }), 'history').states).toBe('coarse');
  });
});

test('a group whose rollouts all have equal outcomes is left out if the run is configured so', () => {
  const on = { filterUniform: 'on' };
  const source = stepsView();
  const turns = source.forest.turns.map((turn) => (turn.outcome === undefined ? turn : { ...turn, outcome: 1 }));
  const tied = { ...source, forest: { ...source.forest, turns } };
  expect([source, tied, treeView()].map((view) => isLeftOut(view, on))).toEqual([false, true, false]);
  expect(isLeftOut(tied, { filterUniform: 'off' })).toBe(false);
  expect(isLeftOut({ ...tied, sampleOnly: true }, on)).toBe(false);
  // Rules with a critic get every group.
  expect(isLeftOut({ ...tied, rule: 'mt-ppo' }, on)).toBe(false);
});
