import type { Metrics } from '../metrics/metricTable.ts';

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
