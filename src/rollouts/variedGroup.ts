import { childrenOf, type Group } from './forest.ts';

/**
 * Returns true if all rollouts of a group have the same outcome. A rule that compares outcomes then computes no
 * advantage.
 */
export function hasEqualOutcomes(group: Group): boolean {
  const leaves = childrenOf(group).flatMap(({ length }, turn) => (length === 0 ? [group.turns[turn].outcome] : []));
  return new Set(leaves).size < 2;
}

/** Returns true if a group has first turns with and without a reward, for example searches and skipped searches. */
function hasBothKinds({ turns }: Group): boolean {
  const firstTurns = turns.filter(({ parent }) => parent === -1);
  return firstTurns.some(({ reward }) => reward > 0) && firstTurns.some(({ reward }) => reward <= 0);
}

/**
 * Returns the index of the most varied group of a batch: the first group with different outcomes and both kinds of
 * first turns. If no group has both, returns the first group with different outcomes, or else 0.
 */
export function variedGroup(groups: readonly Group[]): number {
  const untied = groups.filter((group) => !hasEqualOutcomes(group));
  const varied = untied.find(hasBothKinds) ?? untied[0];
  return varied ? groups.indexOf(varied) : 0;
}
