import type { ClaimTest } from '../../environments/claim.ts';
import type { Status } from './judge.ts';
import type { CountedOutcome, PairedOutcome } from './outcome.ts';

// Result of a claim as stored in docs/reference/lab. Numbers that JSON does not support are null.

export const CLAIM_FORMAT = { format: 'turnwise-claim', formatVersion: 2 } as const;

/** Run, reduced to the values that show if two runs are equal. */
export interface RunRecord {
  readonly arm: string;
  readonly seed: number;
  readonly world: number;
  /** Digest of the initial policy. */
  readonly digest: string;
  /** Digest of all measured values and of the recorded curves. */
  readonly result: string;
  readonly version?: string;
  readonly commit?: string;
  /** Name of the engine and the device. */
  readonly device: string;
  readonly again?: number;
  /** Values of the run by name: the values that the tests read, and the measurements of its policy. */
  readonly values?: Readonly<Record<string, number | null>>;
}

/** Conclusion of a test after the correction for all tests of the paper. */
export interface Corrected {
  readonly probability: number;
  readonly status: Status;
  /** Conclusion of an interim analysis. The conclusion is open until all seeds are complete. */
  readonly interim?: Status;
}

export type PairedResult = PairedOutcome & { readonly corrected: Corrected };
export type CountedResult = CountedOutcome & { readonly corrected: Corrected };

/** Curves by arm and metric: values at regularly spaced updates (`every`). */
export type CurvesOfArms = Readonly<Record<string, Readonly<Record<string, readonly (number | null)[]>>>>;

export interface ExperimentResult {
  readonly name: string;
  /** Definition of the experiment at the time of this result. A unit test compares it with the claim. */
  readonly definition: ExperimentDefinition;
  /** Number of seeds of the arms of a primary test, or of the other arms if the experiment has no primary test. */
  readonly seeds: number;
  /** `compare` command that performs the same runs. */
  readonly command: string;
  readonly runs: readonly RunRecord[];
  /** Number of missing runs, and their estimated duration on the machine of the other runs [h]. */
  readonly missing: number;
  readonly hours: number;
  readonly outcomes: readonly (PairedResult | CountedResult)[];
  /** Table, as `compare` prints it. */
  readonly table?: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };
  /** Means over the seeds by arm, at regularly spaced updates. */
  readonly curves: {
    readonly every: number;
    readonly of: CurvesOfArms;
    /** Minimum and maximum over the seeds at the same updates; absent for a single seed. */
    readonly least?: CurvesOfArms;
    readonly maximum?: CurvesOfArms;
  };
}

/** Properties of an experiment that determine its conclusions. */
export interface ExperimentDefinition {
  readonly environment: string;
  readonly world?: string;
  readonly settings?: object;
  readonly controls?: object;
  readonly arms: readonly string[];
  readonly switch?: object;
  readonly steps: number;
  readonly seeds: number;
  readonly worlds: number;
  readonly tests: readonly ClaimTest[];
}

/**
 * Number of complete seeds and of all seeds of a claim. At a complete seed, each arm of the primary test has a run. A
 * additional question requires a run of each arm.
 */
export interface SeedCount {
  readonly there: number;
  readonly of: number;
}

export interface ClaimResult {
  readonly format: typeof CLAIM_FORMAT.format;
  readonly formatVersion: typeof CLAIM_FORMAT.formatVersion;
  readonly id: string;
  readonly seeds: SeedCount;
  /** Number of tests, except the primary test, that do not have all their seeds. */
  readonly unfinished: number;
  readonly experiments: readonly ExperimentResult[];
}
