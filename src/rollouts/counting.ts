import type { RolloutBatch, RolloutTurn, Trajectory } from './rolloutBatch.ts';

// Means and shares over turns and trajectories, for the metrics of environments.

/** Returns the mean of numbers; null for an empty list. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the share of members that meet a condition, 0 to 1; null for an empty list. */
export function share<Member>(
  members: readonly Member[],
  holds: (member: Member, index: number) => boolean,
): number | null {
  return members.length === 0 ? null : members.filter(holds).length / members.length;
}

/** Returns the mean of a fact over turns; null without turns. A turn without the fact counts as 0. */
export function meanFact(turns: readonly RolloutTurn[], fact: string): number | null {
  return mean(turns.map(({ facts }) => facts[fact] ?? 0));
}

/** Returns the mean of a fact over the turns that have it; null if no turn has it. */
export function meanOverTurnsWithFact(turns: readonly RolloutTurn[], fact: string): number | null {
  return mean(turns.filter(({ facts }) => facts[fact] !== undefined).map(({ facts }) => facts[fact]));
}

/** Returns true if a fact of a turn is above 0; false if the turn is undefined. */
export function hasFact(turn: RolloutTurn | undefined, fact: string): boolean {
  return (turn?.facts[fact] ?? 0) > 0;
}

/** Returns the largest value of a fact over the turns of a trajectory. A turn without the fact counts as 0. */
export function largestFact({ turns }: Pick<Trajectory, 'turns'>, fact: string): number {
  return turns.reduce((largest, { facts }) => Math.max(largest, facts[fact] ?? 0), 0);
}

/** Returns the last turn of each trajectory. */
export function lastTurns(trajectories: readonly Trajectory[]): RolloutTurn[] {
  return trajectories.map(({ turns }) => turns[turns.length - 1]);
}

/** Returns the outcome at the end of a trajectory; undefined if its last turn has no outcome. */
function outcomeOf({ turns }: Pick<Trajectory, 'turns'>): number | undefined {
  return turns.at(-1)?.outcome;
}

/**
 * Returns true if all trajectories of a group ended with the same outcome.
 * @param group index in the batch
 */
export function outcomesTie({ trajectories }: Pick<RolloutBatch, 'trajectories'>, group: number): boolean {
  return hasEqualValues(trajectories, group, outcomeOf);
}

/**
 * Returns true if all trajectories of a group have the same value.
 * @param group index in the batch
 */
export function hasEqualValues(
  trajectories: readonly Trajectory[],
  group: number,
  value: (trajectory: Trajectory) => unknown,
): boolean {
  return new Set(trajectories.filter((trajectory) => trajectory.group === group).map(value)).size <= 1;
}
