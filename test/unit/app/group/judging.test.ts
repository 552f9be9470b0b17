import { describe, expect, test } from 'vitest';
import {
  FOLLOWING,
  isLeftOut,
  isTheRuns,
  type Judging,
  judgedBy,
  judgingAfter,
  liveView,
  runChoice,
} from '../../../../src/app/group/judging.ts';
import { creditOf, withValues } from '../../../../src/app/inspector/choice.ts';
import { inspectView } from '../../../../src/app/inspector/inspected.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import { groupOf } from '../appFixtures.ts';
import { stepsView, treeView } from '../appLiveFixtures.ts';

const repair = defaultConfiguration('repair').controls;

test('a run’s group is shown as what is particular to it', () => {
  // Turns of the search environment have states too, but no tool calls to read.
  const signed = groupOf();
  const turns = signed.forest.turns.map((turn) => ({ ...turn, state: 's', action: 'a' }));
  const search = { ...signed, forest: { ...signed.forest, turns } };
  const views = [treeView(), stepsView(), search].map((view) => liveView(view, inspectView(view)));
  expect(views).toEqual(['programs', 'states', 'turns']);
});

describe('what a group is judged by', () => {
  const run = runChoice('murphy-mers', { ...repair, rule: 'murphy-mers', mersGamma: 0.7 });

  test('is the run’s rule with its parameters, under the rule’s own names', () => {
    expect(run.rule).toBe('murphy-mers');
    const own = Object.entries(run.values['murphy-mers']).filter(([, value]) => value === 0.7);
    expect(own).toEqual([['gamma', 0.7]]);
    expect(judgedBy(run, FOLLOWING)).toEqual({ ...run, start: run.values });
    expect(isTheRuns(run, FOLLOWING, 'murphy-mers')).toBe(true);
    expect(isTheRuns(run, FOLLOWING, 'murphy-mars')).toBe(false);
  });

  test('is what the reader chose, and follows the run in everything else', () => {
    const other = judgingAfter(FOLLOWING, run, { ...run, rule: 'murphy-mars' });
    expect(other).toEqual({ rule: 'murphy-mars', values: {} });
    const turned = judgingAfter(other, judgedBy(run, other), withValues(judgedBy(run, other), 'murphy-mars', { m: 1 }));
    expect(turned).toEqual({ rule: 'murphy-mars', values: { 'murphy-mars': { ...run.values['murphy-mars'], m: 1 } } });
    // The run turns the parameter of a rule that the reader left alone: it is followed.
    const later = runChoice('verpo', { ...repair, mersGamma: 0.2 });
    const judged = judgedBy(later, turned);
    expect([judged.rule, judged.values['murphy-mers'].gamma]).toEqual(['murphy-mars', 0.2]);
    expect(judged.values['murphy-mars']).toBe(turned.values['murphy-mars']);
  });

  test('with other parameters is not the run’s, until they are turned back', () => {
    const turn = (own: Judging, gamma: number) => {
      const before = judgedBy(run, own);
      return judgingAfter(own, before, withValues(before, 'murphy-mers', { gamma }));
    };
    const turned = turn(FOLLOWING, 0.1);
    expect(isTheRuns(run, turned, 'murphy-mers')).toBe(false);
    expect(isTheRuns(run, turn(turned, 0.7), 'murphy-mers')).toBe(true);
  });

  test('may have states of another granularity; the granularity of the group follows the run', () => {
    const rtmc = runChoice('rtmc', defaultConfiguration('repo').controls);
    const coarse = judgingAfter(FOLLOWING, rtmc, { ...rtmc, states: 'coarse' }, 'history');
    expect(coarse).toEqual({ values: {}, states: 'coarse' });
    expect(isTheRuns(rtmc, coarse, 'rtmc')).toBe(false);
    const { forest } = stepsView();
    const advantage = (own: Judging) => creditOf(forest, judgedBy(rtmc, own)).credit?.advantage;
    expect(advantage(coarse)).not.toEqual(advantage(FOLLOWING));
    const back = judgingAfter(coarse, judgedBy(rtmc, coarse), { ...rtmc, states: 'history' }, 'history');
    expect(back).toEqual(FOLLOWING);
    // Turning a parameter meanwhile leaves the states as they were chosen.
    const shown = judgedBy(rtmc, coarse);
    expect(judgingAfter(coarse, shown, withValues(shown, 'rtmc', { kappa: 0 }), 'history').states).toBe('coarse');
  });
});

test('a group whose rollouts all have equal outcomes is left out if the run is configured so', () => {
  const on = { filterUniform: 'on' };
  const alike = stepsView();
  const turns = alike.forest.turns.map((turn) => (turn.outcome === undefined ? turn : { ...turn, outcome: 1 }));
  const tied = { ...alike, forest: { ...alike.forest, turns } };
  expect([alike, tied, treeView()].map((view) => isLeftOut(view, on))).toEqual([false, true, false]);
  expect(isLeftOut(tied, { filterUniform: 'off' })).toBe(false);
  expect(isLeftOut({ ...tied, sampleOnly: true }, on)).toBe(false);
  // Rules with a critic get every group.
  expect(isLeftOut({ ...tied, rule: 'mt-ppo' }, on)).toBe(false);
});
