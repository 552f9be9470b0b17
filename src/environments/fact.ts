import type { RolloutBatch } from '../rollouts/rolloutBatch.ts';

/** Numbers by the names of an environment's facts; null for a fact without items to count. */
export type Facts = Readonly<Record<string, number | null>>;

/** Episodes for which facts are counted, also of several batches together. */
export type Episodes = Pick<RolloutBatch, 'trajectories'>;

/** A number that an update, or a measurement, reports about an environment. */
export interface Fact {
  /** In files and CSV columns. It never changes. */
  readonly name: string;
  /** For people. */
  readonly label: string;
  /** Label at the end of a line; `label` without it. */
  readonly short?: string;
  /** `share`: from 0 to 1. */
  readonly format: 'share' | 'number';
  /** One sentence: what is counted. */
  readonly help: string;
}

/** Counted of episodes alone, both in updates and in evaluations. */
export interface EpisodeFact extends Fact {
  /** @returns null if the fact has no items to count */
  readonly ofEpisodes: (episodes: Episodes) => number | null;
}

/** Intermediate values of a rule, in float64 (credit/rule.ts). */
export type IntermediateValues = Readonly<Record<string, Float64Array>>;

/** Counted of the groups of an update, and of the credit that they got. */
export interface GroupFact extends Fact {
  /**
   * @param advantages [turns of the batch's forest] as the update used them
   * @param describe values that the active rule computed for a group's credit, by the names in its formulas
   * @returns null if the fact has no items to count
   */
  readonly ofGroups: (
    batch: RolloutBatch,
    advantages: Float32Array,
    describe: (group: number) => IntermediateValues,
  ) => number | null;
}

/** A fact that an update counts. */
export type UpdateFact = EpisodeFact | GroupFact;

/** All facts of an update, in the order of the table. */
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

/** The facts that depend on episodes alone, whatever credit the episodes got. */
export function countEpisodes(facts: readonly UpdateFact[], episodes: Episodes): Facts {
  return Object.fromEntries(
    facts.flatMap((fact) => ('ofEpisodes' in fact ? [[fact.name, fact.ofEpisodes(episodes)]] : [])),
  );
}
