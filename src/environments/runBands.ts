import type { LineKey } from './chart.ts';

/** Minimum and maximum over recorded runs with ten seeds, at every nth update. */
export interface RecordedBand {
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** Recorded runs of an environment's standard run, which appear as an area behind a line. */
export interface RunBands {
  readonly line: LineKey;
  /** Id of the Lab claim that has recorded runs of these rules. */
  readonly claim?: string;
  /** Number of updates between two values. */
  readonly every: number;
  /** Runs under the first rule of the toggle. */
  readonly first: RecordedBand;
  /** Runs after a change to the second rule, from the change on. */
  readonly second: RecordedBand;
}
