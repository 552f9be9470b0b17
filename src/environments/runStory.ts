import type { Metrics } from '../metrics/metricTable.ts';

/** State of a run for one sentence about it. */
export interface StoryState {
  /** Title of the active rule, which is one of the two rules of the toggle. */
  readonly rule: string;
  /** All turns of a rollout have the same advantage under the active rule. */
  readonly sharesInRollout: boolean;
  /** Title of the other rule of the toggle. */
  readonly alternative: string;
  /** Number of updates before the last change of the rule; undefined if the rule never changed. */
  readonly since: number | undefined;
  /** The last updates under the active rule, at most `RECENT`; empty before the first one. */
  readonly recent: readonly Metrics[];
  /** Updates before the last change of the rule. */
  readonly before: readonly Metrics[];
  /** Last measurement on held-out tasks. */
  readonly evaluation: Metrics['heldOut'];
}

/** Number of updates over which a sentence averages to choose its statement. */
export const RECENT = 3;

/** Formats a share as charts do: `97%`. */
export const percent = (share: number) => `${Math.round(100 * share)}%`;

/** Mean of a fact over updates; NaN without updates. */
export const meanFact = (updates: readonly Pick<Metrics, 'facts'>[], name: string) =>
  updates.reduce((sum, { facts }) => sum + (facts?.[name] ?? Number.NaN), 0) / updates.length;

/** A sentence of at most 20 words. Sentences of one kind differ in their numbers only. */
export interface StorySentence {
  readonly kind: string;
  readonly text: string;
}

/** Describes a run of an environment. Returns undefined for a state that it does not cover. */
export type RunStory = (state: StoryState) => StorySentence | undefined;
