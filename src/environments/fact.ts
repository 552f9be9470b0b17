import { exp } from '../numbers/exponential.ts';
import type { Turn } from '../rollouts/forest.ts';
import { meanOrNull, type RolloutBatch } from '../rollouts/rolloutBatch.ts';

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

// Facts about the states before turns. Only some rules compute these values.

type Field = 'answerLogProb' | 'stateValue';

/**
 * Creates a function that averages a field over first turns, or over later turns. It returns null if no turn has a
 * value.
 */
const before =
  (
    field: Field,
    selection: 'first' | 'further',
    format: (value: number) => number = (value) => value,
  ): GroupFact['ofGroups'] =>
  ({ groups }) => {
    const turns: readonly Turn[] = groups.flatMap((group) => group.turns);
    return meanOrNull(
      turns.flatMap(({ parent, [field]: value }) =>
        value === undefined || parent < 0 !== (selection === 'first') ? [] : [format(value)],
      ),
    );
  };

const PROBABILITY_HELP =
  'probability of the right answer under the policy, geometric mean over its tokens. Empty under rules that do not use it.';

/** Probability of the right answer under the policy, before first and before later turns (IGPO). */
export const ANSWER_PROBABILITY_FACTS: readonly GroupFact[] = [
  {
    name: 'answerProbabilityFirst',
    label: 'Right answer before turn 1',
    short: 'turn 1',
    format: 'share',
    help: `Before turn 1: ${PROBABILITY_HELP}`,
    ofGroups: before('answerLogProb', 'first', exp),
  },
  {
    name: 'answerProbabilityFurther',
    label: 'Right answer before later turns',
    short: 'later turns',
    format: 'share',
    help: `Before later turns, given the earlier replies: ${PROBABILITY_HELP}`,
    ofGroups: before('answerLogProb', 'further', exp),
  },
];

/** Mean return of continuations from the state before a turn (VinePPO). */
export const STATE_VALUE_FACTS: readonly GroupFact[] = [
  {
    name: 'stateValueFirst',
    label: 'Value of the state before turn 1',
    short: 'turn 1',
    format: 'number',
    help: 'Mean return of the episodes that continue from before turn 1. Empty under rules without continuations.',
    ofGroups: before('stateValue', 'first'),
  },
  {
    name: 'stateValueFurther',
    label: 'Value of the states before later turns',
    short: 'later turns',
    format: 'number',
    help: 'Mean return of the episodes that continue from before later turns. Empty under rules without continuations.',
    ofGroups: before('stateValue', 'further'),
  },
];
