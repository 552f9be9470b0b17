import type { RolloutBatch, RolloutTurn, Trajectory } from './rolloutBatch.ts';

/** Means and shares over turns and trajectories, which metrics of environments are made of; null over none. */

/** The mean of numbers. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the share of members that meet a condition. */
export function share<Member>(
  members: readonly Member[],
  holds: (member: Member, index: number) => boolean,
): number | null {
  return members.length === 0 ? null : members.filter(holds).length / members.length;
}

/** The mean of a fact over turns, 0 where a turn does not mention it. */
export function meanFact(turns: readonly RolloutTurn[], fact: string): number | null {
  return mean(turns.map(({ facts }) => facts[fact] ?? 0));
}

/** The mean of a fact over the turns that mention it. */
export function meanOverTurnsWithFact(turns: readonly RolloutTurn[], fact: string): number | null {
  return mean(turns.filter(({ facts }) => facts[fact] !== undefined).map(({ facts }) => facts[fact]));
}

/** Returns true if a turn has a fact; false for no turn. */
export function hasFact(turn: RolloutTurn | undefined, fact: string): boolean {
  return (turn?.facts[fact] ?? 0) > 0;
}

/** The value of a fact for a trajectory: the largest over its turns, 0 where no turn mentions it. */
export function largestFact({ turns }: Pick<Trajectory, 'turns'>, fact: string): number {
  return turns.reduce((largest, { facts }) => Math.max(largest, facts[fact] ?? 0), 0);
}

/** The last turns of trajectories. */
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
