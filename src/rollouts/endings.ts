import { childrenOf, type Group } from './forest.ts';

/** Whether all rollouts of a group ended with the same outcome: rules that compare outcomes have nothing to compare. */
export function endsAlike(group: Group): boolean {
  const leaves = childrenOf(group).flatMap(({ length }, turn) => (length === 0 ? [group.turns[turn].outcome] : []));
  return new Set(leaves).size < 2;
}

/** The first group whose rollouts ended differently; the first of all where all are tied. */
export function firstUntied(groups: readonly Group[]): number {
  return Math.max(
    0,
    groups.findIndex((group) => !endsAlike(group)),
  );
}
