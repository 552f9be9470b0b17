import { standardDeviation } from '../credit/arithmetic/normalize.ts';
import { endsOf, type FlatReason, flatGroupReason } from '../rollouts/flatGroups.ts';
import type { Group } from '../rollouts/forest.ts';

/** Absolute advantage below which the sign is undefined. */
const ZERO = 1e-9;

/** Signals that determine in which order groups are read. */
export interface GroupSignals {
  /** Standard deviation of the outcomes. */
  readonly deviation: number;
  /** Reason why the rollouts cannot be compared; undefined if they can. */
  readonly tie: FlatReason | undefined;
  /** Share of turns whose advantages under the two rules have opposite signs [0 to 1]. */
  readonly opposed: number;
  /** Names of the rule in use and of the rule that it is compared with; empty if there is no second rule. */
  readonly rules: readonly string[];
}

/** Advantages of a group under one rule. */
export interface NamedCredit {
  readonly rule: string;
  /** [turns] */
  readonly advantage: ArrayLike<number>;
}

/** Computes the signals of a group under two rules. @param compared undefined if there is no second rule */
export function groupSignals(group: Group, used?: NamedCredit, compared?: NamedCredit): GroupSignals {
  const turns = group.turns.length;
  const outcomes = endsOf(group).flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]));
  return {
    deviation: standardDeviation(outcomes),
    tie: flatGroupReason(group),
    opposed: used && compared && turns > 0 ? opposedTurns(used.advantage, compared.advantage) / turns : 0,
    rules: used && compared ? [used.rule, compared.rule] : [],
  };
}

/** Returns the number of turns whose advantages have opposite signs. */
export function opposedTurns(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let count = 0;
  for (let turn = 0; turn < a.length; turn++)
    if ((a[turn] > ZERO && b[turn] < -ZERO) || (a[turn] < -ZERO && b[turn] > ZERO)) count++;
  return count;
}

/** Compares groups by disagreement, then by deviation. Groups whose rollouts cannot be compared come last. */
export function byInterest(a: GroupSignals, b: GroupSignals): number {
  return (
    Number(a.tie !== undefined) - Number(b.tie !== undefined) || b.opposed - a.opposed || b.deviation - a.deviation
  );
}

/** Sort orders of groups. */
export const GROUP_SORTS = ['file', 'disagreement', 'deviation', 'ties'] as const;
export type GroupSort = (typeof GROUP_SORTS)[number];

const COMPARISONS: Readonly<Record<GroupSort, (a: GroupSignals, b: GroupSignals) => number>> = {
  file: () => 0,
  disagreement: byInterest,
  deviation: (a, b) => b.deviation - a.deviation,
  ties: (a, b) => Number(b.tie !== undefined) - Number(a.tie !== undefined),
};

/** Returns [groups] the indices of the groups in a sort order. Equal groups remain in the order of the file. */
export function sortedGroups(signals: readonly GroupSignals[], sort: GroupSort): readonly number[] {
  const compare = COMPARISONS[sort];
  return signals.map((_, index) => index).sort((a, b) => compare(signals[a], signals[b]));
}

/**
 * Returns the index of the group to read first; of equal groups, the index of the first. Returns 0 if there are no
 * groups.
 */
export function firstToRead(signals: readonly GroupSignals[]): number {
  return signals.reduce((best, group, index) => (byInterest(group, signals[best]) < 0 ? index : best), 0);
}
