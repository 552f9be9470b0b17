import type { LineKey } from './chart.ts';

/** Least and greatest value of recorded runs with ten seeds, at every nth update. */
export interface RecordedBand {
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** Recorded runs of the standard run of an environment, for an area behind a line. */
export interface RunBands {
  readonly line: LineKey;
  /** Claim of the Lab that has recorded runs of these rules. */
  readonly claim?: string;
  /** Updates between two values. */
  readonly every: number;
  /** Runs under the first rule of the toggle. */
  readonly first: RecordedBand;
  /** Runs after a change to the second rule, from the change on. */
  readonly second: RecordedBand;
}
