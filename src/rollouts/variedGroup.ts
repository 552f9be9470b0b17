import { childrenOf, type Group } from './forest.ts';

/**
 * Returns true if all rollouts of a group ended with the same outcome: rules that compare outcomes cannot compare
 * anything then.
 */
export function hasEqualOutcomes(group: Group): boolean {
  const leaves = childrenOf(group).flatMap(({ length }, turn) => (length === 0 ? [group.turns[turn].outcome] : []));
  return new Set(leaves).size < 2;
}

/** True if first turns of a group were rewarded and first turns of it were not, for example searches and skipped searches. */
function hasBothKinds({ turns }: Group): boolean {
  const firstTurns = turns.filter(({ parent }) => parent === -1);
  return firstTurns.some(({ reward }) => reward > 0) && firstTurns.some(({ reward }) => reward <= 0);
}

/**
 * Returns the index of the most varied group of a batch: the first one with different outcomes and both kinds of first
 * turns, or else the first one with different outcomes, or else 0.
 */
export function variedGroup(groups: readonly Group[]): number {
  const untied = groups.filter((group) => !hasEqualOutcomes(group));
  const varied = untied.find(hasBothKinds) ?? untied[0];
  return varied ? groups.indexOf(varied) : 0;
}
