import type { Metrics } from '../metrics/metricTable.ts';

/** State of a run that a sentence describes. */
export interface StoryState {
  /** Title of the active rule, which is one of the two rules of the toggle. */
  readonly rule: string;
  /** True if all turns of a rollout have the same advantage under the active rule. */
  readonly sharesInRollout: boolean;
  /** Title of the other rule of the toggle. */
  readonly alternative: string;
  /** Number of updates before the last change of the rule; undefined if the rule never changed. */
  readonly since: number | undefined;
  /** True after the change of the rule that the recorded runs have, in a run with their settings and controls. */
  readonly isRecorded: boolean;
  /** Last updates under the active rule, at most `RECENT`; empty before the first update under the rule. */
  readonly recent: readonly Metrics[];
  /** Updates before the last change of the rule. */
  readonly before: readonly Metrics[];
  /** Last measurement on held-out tasks. */
  readonly evaluation: Metrics['heldOut'];
}

/** Number of updates whose mean selects the sentence. */
export const RECENT = 3;

/** Formats a share as charts do: `97%`. */
export const percent = (share: number) => `${Math.round(100 * share)}%`;

/** Returns the mean of a fact over updates; NaN without updates. */
export const meanFact = (updates: readonly Pick<Metrics, 'facts'>[], name: string) =>
  updates.reduce((sum, { facts }) => sum + (facts?.[name] ?? Number.NaN), 0) / updates.length;

/** Sentence of at most 20 words. Sentences of the same kind differ only in their numbers. */
export interface StorySentence {
  readonly kind: string;
  readonly text: string;
}

/** Function that describes a run of an environment. It returns undefined for a state that it does not cover. */
export type RunStory = (state: StoryState) => StorySentence | undefined;

/** Part of a group's picture that a scene highlights. */
export type TourPart = 'question' | 'attempt' | 'attempts' | 'results' | 'credit';

/** State of a run for the caption of a scene. */
export interface TourState {
  /** Number of attempts in the picture. */
  readonly attempts: number;
  /**
   * Titles of the two rules of the toggle. `shared` assigns one number to all turns, `separate` one number to each
   * turn.
   */
  readonly shared: string;
  readonly separate: string;
  /** True after the change of the rule that the recorded runs have, in a run with their settings and controls. */
  readonly isRecorded: boolean;
  /** Last updates under the active rule; empty before the first update under the rule. */
  readonly recent: readonly Metrics[];
}

/** Scene of the guided tour of an environment. */
export interface TourScene {
  readonly name: string;
  /** Duration, or with `until` the maximum duration [s]. */
  readonly seconds: number;
  /** Highlighted part of the picture. If absent, the scene is about the chart. */
  readonly part?: TourPart;
  /** Rule whose credit the picture shows. */
  readonly preview?: 'shared' | 'separate';
  /** Rule that the scene activates when it begins. */
  readonly press?: 'shared' | 'separate';
  /** Returns true if the scene ends. */
  readonly until?: (state: TourState) => boolean;
  /** Returns the caption, at most 12 words. */
  readonly caption: (state: TourState) => string;
}
