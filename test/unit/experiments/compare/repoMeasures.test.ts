import { describe, expect, test } from 'vitest';
import { findRule } from '../../../../src/credit/rules.ts';
import { majorityOf, quadrants, signChanges } from '../../../../src/experiments/compare/repoMeasures.ts';
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
