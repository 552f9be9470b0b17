import type { Group, Turn } from '../src/rollouts/forest.ts';

/** Trajectory: rewards R^I of its intermediate turns, and the outcome R^O of its last turn. */
export interface Rollout {
  readonly turns: readonly number[];
  readonly outcome: number;
}

/** Creates a group of consecutive trajectories. The last turn of each has reward 0. */
export function groupOf(rollouts: readonly Rollout[], id = 'group'): Group {
  const turns: Turn[] = [];
  for (const { turns: rewards, outcome } of rollouts) {
    let parent = -1;
    for (const reward of rewards) {
      turns.push({ parent, reward });
      parent = turns.length - 1;
    }
    turns.push({ parent, reward: 0, outcome });
  }
  return { id, turns };
}

/** Creates a group of rollouts with one turn each. */
export function outcomesOnly(outcomes: readonly number[], id = 'group'): Group {
  return groupOf(
    outcomes.map((outcome) => ({ turns: [], outcome })),
    id,
  );
}
