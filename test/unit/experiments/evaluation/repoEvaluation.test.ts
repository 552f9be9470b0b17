import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findRule } from '../../../../src/credit/rules.ts';
import { GRANULARITIES } from '../../../../src/environments/repo/repoSettings.ts';
import {
  majorityOf,
  quadrants,
  type States,
  sharedSteps,
  sharing,
  signChanges,
} from '../../../../src/experiments/evaluation/repoEvaluation.ts';
import type { Group } from '../../../../src/rollouts/forest.ts';

describe('the majority of three', () => {
  test('the majority of three is the mean over all choices of three episodes', () => {
    // Enumerates all 20 choices of 3 of 6 episodes, 2 of which are solved.
    const solved = [1, 1, 0, 0, 0, 0];
    let [all, majorities] = [0, 0];
    for (let a = 0; a < 6; a++)
      for (let b = a + 1; b < 6; b++)
        for (let c = b + 1; c < 6; c++) {
          all++;
          majorities += Number(solved[a] + solved[b] + solved[c] >= 2);
        }
    expect(majorityOf(6, 2, 3)).toBeCloseTo(majorities / all, 12);
    expect([majorityOf(8, 8, 3), majorityOf(8, 0, 3), majorityOf(3, 2, 3), majorityOf(3, 1, 3)]).toEqual([1, 0, 1, 0]);
    expect(majorityOf(8, 5, 1)).toBeCloseTo(5 / 8, 12);
  });

  test('majorityOf throws an error for an even number of votes, and for more votes than episodes', () => {
    for (const [samples, votes] of [
      [8, 2],
      [2, 3],
    ])
      expect(() => majorityOf(samples, 1, votes)).toThrow(`no majority of ${votes} among ${samples} episodes`);
  });
});

/** Two rollouts with a common state: a success of three steps and a failure of two steps. */
const GROUP: Group = {
  id: 'g',
  turns: [
    { parent: -1, reward: 0, state: 's', action: 'a' },
    { parent: 0, reward: 0, state: 't', action: 'b' },
    { parent: 1, reward: 0, state: 'u', action: 'c', outcome: 1, solved: true },
    { parent: -1, reward: 0, state: 's', action: 'd' },
    { parent: 3, reward: 0, state: 'v', action: 'e', outcome: 0, solved: false },
  ],
};

describe('steps with different signs under two rules', () => {
  test('sign changes are counted separately in successes and failures, and 0 has no sign', () => {
    const before = [1, 1, 0, -1, -1];
    const after = [-1, 0, -1, 1, -1];
    expect(
      signChanges(
        [GROUP],
        () => before,
        () => after,
      ),
    ).toEqual({
      ...{ successSteps: 3, penalised: 1, failureSteps: 2, rescued: 1 },
    });
    expect(
      signChanges(
        [GROUP, GROUP],
        () => after,
        () => after,
      ),
    ).toMatchObject({ penalised: 0, rescued: 0, successSteps: 6 });
  });

  test('quadrants counts sign changes from grpo-step to rtmc with the parameters of the run', async () => {
    const requests: unknown[] = [];
    const controls = { groupSize: 2, rtmcGamma: 0.9, bonus: 0.1, kappa: 2, granularity: 'paper' };
    const sampler = {
      ...{ controls, seed: 4, capacityFor: () => 5 },
      environment: {
        maxTurns: 14,
        sampleTasks: (_: unknown, count: number) => Array.from({ length: count }, (_, at) => at),
      },
      play: async (tasks: readonly unknown[], key: number, evaluation: object) => {
        requests.push([tasks, key, evaluation]);
        return { groups: tasks.map(() => GROUP) };
      },
    } as unknown as Parameters<typeof quadrants>[0];
    const result = await quadrants(sampler, 3);
    expect(requests).toEqual([
      [[0, 1], 0x0fe00000, { branching: [2, 1] }],
      [[2], 0x0fe00000 + 2, { branching: [2, 1] }],
    ]);
    const of = (name: string) =>
      findRule(name).credit(GROUP, { gamma: 0.9, bonus: 0.1, ...(name === 'rtmc' ? { kappa: 2 } : {}) });
    const changes = signChanges(
      [GROUP],
      () => of('grpo-step').advantage,
      () => of('rtmc').advantage,
    );
    expect(result).toEqual({ penalised: changes.penalised / 3, rescued: changes.rescued / 2 });
  });
});

/** Counts the steps in states that two or more of these rollouts visit. */
function shared(rollouts: States): number {
  const meets = (state: string) => rollouts.filter((path) => path.includes(state)).length > 1;
  return rollouts.flat().filter(meets).length;
}

/** Returns all subsets with `size` items. */
function choices<Item>(items: readonly Item[], size: number): Item[][] {
  if (size === 0) return [[]];
  return items.flatMap((item, index) => choices(items.slice(index + 1), size - 1).map((rest) => [item, ...rest]));
}

describe('shared steps', () => {
  test('sharedSteps matches a calculation by hand for three rollouts', () => {
    // Three rollouts visit "a", two visit "b", one visits "c" and "d"; the first rollout is in "a" twice.
    const states = ['aab', 'ab', 'acd'].map((path) => [...path]);
    // Of 3: the 4 steps in "a" and 2 in "b". Of 2: "a" always, "b" if both of its rollouts are chosen, in 1 of the 2
    // groups that contain the step.
    expect(sharedSteps(states, [2, 3])).toEqual([4 + 2 / 2, 6]);
    // The three pairs: 5 of 5 steps, 3 of 6, 2 of 5; every rollout is in two of them.
    expect((shared(states.slice(0, 2)) + shared([states[0], states[2]]) + shared(states.slice(1))) / 2).toBe(5);
  });

  test('sharedSteps is the mean over all subsets of rollouts, scaled to all steps', () => {
    const path = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(path, { minLength: 2, maxLength: 6 }), (states) => {
        const sizes = Array.from({ length: states.length - 1 }, (_, index) => index + 2);
        const result = sharedSteps(states, sizes);
        sizes.forEach((size, index) => {
          const groups = choices(states, size);
          const mean = groups.reduce((sum, group) => sum + shared(group), 0) / groups.length;
          // On average, a group of G rollouts contains G / N of all steps.
          expect(result[index]).toBeCloseTo((mean * states.length) / size, 9);
        });
        // Larger groups share more steps.
        result.forEach((steps, index) => {
          if (index > 0) expect(steps).toBeGreaterThanOrEqual(result[index - 1] - 1e-9);
        });
      }),
    );
  });
});

describe('sharing over problems', () => {
  /**
   * Creates a rollout with one letter per step. `history` states are prefixes of the letters, and `coarse` has only one
   * state.
   */
  function rollout(path: string): Group {
    const turns = [...path].map((letter, turn) => {
      const states = { history: path.slice(0, turn + 1), paper: letter, coarse: '', contents: `${letter}${turn}` };
      return { parent: turn - 1, reward: 0, state: letter, states };
    });
    return { id: path, turns };
  }
  const problems = [
    ['ab', 'ba'],
    ['abc', 'abd'],
  ].map((paths) => paths.map(rollout));

  test('sharing counts the steps of all problems, with separate states for each granularity', () => {
    const result = sharing(problems, [2], 1);
    expect(result).toMatchObject({ problems: 2, rollouts: 2, steps: 10, sizes: [2] });
    const values = GRANULARITIES.map((granularity) => [granularity, result.shares[granularity][0].value]);
    expect(Object.fromEntries(values)).toEqual({ history: 0.4, paper: 0.8, coarse: 1, contents: 0.4 });
  });

  test('rollouts of different problems share no state', () => {
    const equal = [['a', 'b'].map(rollout), ['a', 'b'].map(rollout)];
    expect(sharing(equal, [2], 1).shares.paper[0]).toEqual({ value: 0, low: 0, high: 0 });
  });

  test('intervals of sharing resample whole problems', () => {
    // Shares 1 and 4/6 of 4 and 6 steps: a resample contains one problem twice, or both problems.
    const [{ value, low, high }] = sharing(problems, [2], 1).shares.paper;
    expect([value, high]).toEqual([0.8, 1]);
    expect(low).toBeCloseTo(4 / 6, 12);
  });

  test('sharing throws an error that names a group without the required states', () => {
    const old = [[{ id: 'g', turns: [{ parent: -1, reward: 0, state: 'a' }] }, rollout('a')]];
    expect(() => sharing(old, [2], 1)).toThrow('group "g", turn 0: there is no state "history"');
  });
});
