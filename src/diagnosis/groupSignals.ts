import { standardDeviation } from '../credit/arithmetic/statistics.ts';
import { endsOf, type FlatReason, flatGroupReason } from '../rollouts/flatGroups.ts';
import type { Group } from '../rollouts/forest.ts';

/** Advantages of smaller size have no sign. */
const ZERO = 1e-9;

/** Numbers by which groups are sorted for reading. */
export interface GroupSignals {
  /** Standard deviation of the outcomes. */
  readonly deviation: number;
  /** The reason for which the rollouts cannot be compared. */
  readonly tie: FlatReason | undefined;
  /** Share of turns that one rule pays and the other rule blames. */
  readonly opposed: number;
}

/** Returns the signals of a group under two rules. @param a [turns] @param b [turns]; absent without a second rule */
export function groupSignals(group: Group, a?: ArrayLike<number>, b?: ArrayLike<number>): GroupSignals {
  const outcomes = endsOf(group).flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]));
  return {
    deviation: standardDeviation(outcomes),
    tie: flatGroupReason(group),
    opposed: a && b && a.length > 0 ? opposedTurns(a, b) / a.length : 0,
  };
}

/** Returns the number of turns that one rule pays and the other rule blames. */
export function opposedTurns(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let count = 0;
  for (let turn = 0; turn < a.length; turn++)
    if ((a[turn] > ZERO && b[turn] < -ZERO) || (a[turn] < -ZERO && b[turn] > ZERO)) count++;
  return count;
}

/** Compares groups by disagreement, then by deviation; groups without a comparison come last. */
export function byInterest(a: GroupSignals, b: GroupSignals): number {
  return (
    Number(a.tie !== undefined) - Number(b.tie !== undefined) || b.opposed - a.opposed || b.deviation - a.deviation
  );
}
