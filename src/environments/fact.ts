import type { RolloutBatch } from '../rollouts/rolloutBatch.ts';

/** Values of an environment's facts by name; null for a fact without items to count. */
export type Facts = Readonly<Record<string, number | null>>;

/** Episodes over which facts are counted, of one batch or of several batches. */
export type Episodes = Pick<RolloutBatch, 'trajectories'>;

/** Number that an update or a measurement reports about an environment. */
export interface Fact {
  /** Name in files and CSV columns. It never changes. */
  readonly name: string;
  /** Label for users. */
  readonly label: string;
  /** Label at the end of a line; `label` if absent. */
  readonly short?: string;
  /** Format of the value. `share`: 0 to 1. */
  readonly format: 'share' | 'number';
  /** One sentence about the items that are counted. */
  readonly help: string;
}

/** Fact that depends only on episodes. Updates and evaluations count it. */
export interface EpisodeFact extends Fact {
  /** Returns the value; null if the fact has no items to count. */
  readonly ofEpisodes: (episodes: Episodes) => number | null;
}

/** Intermediate values of a credit rule by name, in float64 (credit/rule.ts). */
export type IntermediateValues = Readonly<Record<string, Float64Array>>;

/** Fact that depends on the groups of an update and on their credit. */
export interface GroupFact extends Fact {
  /**
   * Returns the value; null if the fact has no items to count.
   * @param advantages advantages that the update used, [turns of the batch's forest]
   * @param describe returns the values that the active rule computed for a group, by the names in its formulas
   */
  readonly ofGroups: (
    batch: RolloutBatch,
    advantages: Float32Array,
    describe: (group: number) => IntermediateValues,
  ) => number | null;
}

/** Fact that an update counts. */
export type UpdateFact = EpisodeFact | GroupFact;

/** Counts all facts of an update, in the order of the table. */
export function countFacts(
  facts: readonly UpdateFact[],
  ...[batch, advantages, describe]: Parameters<GroupFact['ofGroups']>
): Facts {
  return Object.fromEntries(
    facts.map((fact) => [
      fact.name,
      'ofEpisodes' in fact ? fact.ofEpisodes(batch) : fact.ofGroups(batch, advantages, describe),
    ]),
  );
}

/** Counts the facts that depend only on episodes, not on credit. */
export function countEpisodes(facts: readonly UpdateFact[], episodes: Episodes): Facts {
  return Object.fromEntries(
    facts.flatMap((fact) => ('ofEpisodes' in fact ? [[fact.name, fact.ofEpisodes(episodes)]] : [])),
  );
}
