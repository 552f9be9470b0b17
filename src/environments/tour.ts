import type { Metrics } from '../metrics/metricTable.ts';

/** Part of the picture of a group that a scene points out. */
export type TourPart = 'question' | 'attempt' | 'attempts' | 'results' | 'credit';

/** State of a run for the caption of a scene. */
export interface TourState {
  /** Number of attempts in the picture. */
  readonly attempts: number;
  /** Titles of the two rules of the toggle: one number for all turns, and one number for each turn. */
  readonly shared: string;
  readonly separate: string;
  /** The last updates under the active rule; empty before the first one. */
  readonly recent: readonly Metrics[];
}

/** A scene of the guided tour of an environment. */
export interface TourScene {
  readonly name: string;
  /** Duration; with `until` the longest duration [s]. */
  readonly seconds: number;
  /** Absent: the scene is about the chart. */
  readonly part?: TourPart;
  /** Rule whose credit the picture shows. */
  readonly preview?: 'shared' | 'separate';
  /** Rule that the scene presses when it begins. */
  readonly press?: 'shared' | 'separate';
  /** The scene ends when this holds. */
  readonly until?: (state: TourState) => boolean;
  /** At most 12 words. */
  readonly caption: (state: TourState) => string;
}
