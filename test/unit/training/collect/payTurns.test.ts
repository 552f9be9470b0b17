import { expect, test } from 'vitest';
import type { StepResult, WrittenTurn } from '../../../../src/environments/environment.ts';
import { collect } from '../collectWorld.ts';

test.each([
  ['chains in one sequence', { next: 'reply', turns: 3 } as const, [4, 1]],
  ['trees of prompts', { next: 'prompt', turns: 2 } as const, [3, 2]],
])(
  'the reward function receives each turn of %s once, and all views of the batch have its result',
  async (_, worldOptions, branching) => {
    let rewarded: readonly WrittenTurn<number, StepResult>[] = [];
    const pay = async (turns: readonly WrittenTurn<number, StepResult>[]) => {
      rewarded = turns;
      return turns.map(({ task, written, stepResult }) => ({ ...stepResult, reward: 100 * task + written[0] }));
    };
    const { batch } = await collect(worldOptions, branching, { pay });
    const { rollouts, forest, groups, trajectories } = batch;
    expect(rewarded).toHaveLength(forest.parent.length);
    // The summary of the little world contains the task and the tokens.
    for (const { task, written, stepResult } of rewarded) {
      expect(stepResult.summary).toMatch(new RegExp(`^task ${task}, turn \\d: ${written.join(' ')}$`));
    }
    const expected = rollouts.flatMap(({ tokens, turnOf, turns }) =>
      turns.map(({ summary }, turn) => `${summary} behind ${tokens.slice(0, turnOf.indexOf(turn)).join()}`),
    );
    const summaries = rewarded.map(({ before, stepResult }) => `${stepResult.summary} behind ${before.join()}`);
    expect(summaries.toSorted()).toEqual(expected.toSorted());
    const computeReward = (summary: string) => {
      const [, task, first] = /^task (\d), turn \d: (\d)/.exec(summary) ?? [];
      return 100 * Number(task) + Number(first);
    };
    const turns = [...rollouts, ...trajectories].flatMap((sequence) => sequence.turns);
    for (const { reward, summary, forestTurn } of turns) {
      expect([reward, forest.reward[forestTurn]]).toEqual([computeReward(summary), computeReward(summary)]);
    }
    expect(groups.flatMap((group) => group.turns.map(({ reward }) => reward))).toEqual([...forest.reward]);
  },
);
