import { type RewardWeights, total, turnComponents } from '../../../environments/search/searchSettings.ts';
import type { GroupView, RolloutView } from '../../../training/data/protocol.ts';

/** Search of an attempt. */
export interface Search {
  readonly rollout: number;
  /** Number of the search in its attempt, from 1. */
  readonly count: number;
  /** True if the returned document contains the answer. */
  readonly retrieved: boolean;
}

/**
 * Returns the executed searches of an attempt, in order. A turn is an executed search if its format reward is positive,
 * which requires a positive weight `rewardFormat`.
 */
export function searchesOf({ turns }: RolloutView, rollout: number): readonly Search[] {
  const executed = turns.filter(({ components }) => (components.format ?? 0) > 0);
  return executed.map(({ components }, index) => ({
    ...{ rollout, count: index + 1, retrieved: (components.retrieved ?? 0) > 0 },
  }));
}

/** Returns true if a search is not the first search of its attempt. */
export const isFurther = ({ count }: Search) => count > 1;

/** Returns the reward of a search if several searches are allowed (src/environments/search/searchSettings.ts). */
export function computeSearchReward({ count, retrieved }: Search, weights: RewardWeights): number {
  return total(turnComponents(weights, { executed: true, retrieved, searches: count, several: true }));
}

/**
 * Returns the group with the most searches. The group has a further search, and a first search that retrieved the
 * answer. Undefined if there is no such group.
 */
export function chooseSearches(groups: readonly GroupView[]) {
  return groups
    .map((group) => ({ group, searches: group.rollouts.flatMap(searchesOf) }))
    .filter(
      ({ searches }) => searches.some(isFurther) && searches.some(({ count, retrieved }) => count === 1 && retrieved),
    )
    .sort((a, b) => b.searches.length - a.searches.length || b.group.step - a.group.step)[0];
}
