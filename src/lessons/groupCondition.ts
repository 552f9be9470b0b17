import { ENVIRONMENT_LIST } from '../environments/registry.ts';
import { type Attempt, attemptsOf, type FirstTurnKinds } from '../environments/watchedTurns.ts';
import type { Group } from '../rollouts/forest.ts';

/** Kind of an attempt. A missing field allows every attempt. */
export interface AttemptKind {
  /** Kind of the first turn, one of `firstTurns` of the environment. */
  readonly first?: string;
  /** Outcome of the attempt; in a tree the outcome of at least one branch. */
  readonly outcome?: number;
}

/** Requirements on the group of a formula or an exercise. */
export interface GroupCondition {
  /** First update whose groups are allowed. */
  readonly from: number;
  /** The group has at least one attempt of each kind. Questions are about these attempts. */
  readonly has: readonly AttemptKind[];
}

/** Condition that every group meets. */
export const ANY_GROUP: GroupCondition = { from: 0, has: [] };

/** Largest difference of equal outcomes. */
const ROUNDING = 1e-6;

const KINDS: FirstTurnKinds = Object.assign({}, ...ENVIRONMENT_LIST.map(({ firstTurns }) => firstTurns));

/** Returns true if an attempt is of a kind. */
export function isOfKind(attempt: Attempt, { first, outcome }: AttemptKind): boolean {
  const ends = [attempt.first, ...attempt.following].flatMap((turn) => turn.outcome ?? []);
  return (
    (first === undefined || KINDS[first]?.(attempt) === true) &&
    (outcome === undefined || ends.some((end) => Math.abs(end - outcome) < ROUNDING))
  );
}

/**
 * Returns the first attempt of each kind that a condition names.
 * @returns indices of attempts, starting at 0; a kind without an attempt is skipped
 */
export function attemptsFor(group: Group, { has }: GroupCondition): readonly number[] {
  const attempts = attemptsOf(group);
  const indices = has.map((kind) => attempts.findIndex((attempt) => isOfKind(attempt, kind)));
  return [...new Set(indices.filter((index) => index >= 0))];
}

/** Returns the number of kinds of a condition that a group has. */
export function countKinds(group: Group, { has }: GroupCondition): number {
  const attempts = attemptsOf(group);
  return has.filter((kind) => attempts.some((attempt) => isOfKind(attempt, kind))).length;
}
