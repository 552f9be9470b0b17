import { type RewardWeights, total, turnComponents } from '../../../environments/search/rewards.ts';
import type { GroupView, RolloutView } from '../../../training/data/protocol.ts';

/** A search of a try. */
export interface Search {
  readonly rollout: number;
  /** Number of the search in its try, from 1. */
  readonly count: number;
  /** Its document holds the answer. */
  readonly retrieved: boolean;
}

/** The searches of a try in their order: every executed one was well-formed. */
export function searchesOf({ turns }: RolloutView, rollout: number): readonly Search[] {
  const executed = turns.filter(({ components }) => (components.format ?? 0) > 0);
  return executed.map(({ components }, index) => ({
    ...{ rollout, count: index + 1, retrieved: (components.retrieved ?? 0) > 0 },
  }));
}

/** It is not the first search of its try. */
export const isFurther = ({ count }: Search) => count > 1;

/** Returns the reward of a search if several searches are allowed (src/environments/search/rewards.ts). */
export function computeSearchReward({ count, retrieved }: Search, weights: RewardWeights): number {
  return total(turnComponents(weights, { executed: true, retrieved, searches: count, several: true }));
}

/** The group with the most searches, further ones and a first one that found the answer among them; undefined for none. */
export function chooseSearches(groups: readonly GroupView[]) {
  return groups
    .map((group) => ({ group, searches: group.rollouts.flatMap(searchesOf) }))
    .filter(
      ({ searches }) => searches.some(isFurther) && searches.some(({ count, retrieved }) => count === 1 && retrieved),
    )
    .sort((a, b) => b.searches.length - a.searches.length || b.group.step - a.group.step)[0];
}
