import type { RolloutTurn, Trajectory } from '../../rollouts/rolloutBatch.ts';

/** What episodes of the bandit did, by the names of its facts; null where there are no episodes. */
export function episodeFacts(trajectories: readonly Trajectory[]): Readonly<Record<string, number | null>> {
  const mean = (value: (turns: readonly RolloutTurn[]) => number) =>
    trajectories.length === 0
      ? null
      : trajectories.reduce((sum, { turns }) => sum + value(turns), 0) / trajectories.length;
  const total = (name: string) => mean((turns) => turns.reduce((sum, { facts }) => sum + (facts[name] ?? 0), 0));
  return {
    key: total('key'),
    bait: total('bait'),
    right: total('right'),
    solved: total('solved'),
    return: total('return'),
  };
}
