import type { ClaimTest } from '../../environments/claim.ts';
import type { Status } from './judge.ts';
import type { CountedOutcome, PairedOutcome } from './outcome.ts';

// The results of a claim as data: what docs/reference/lab keeps of the runs. Numbers that JSON cannot hold are null there.

export const CLAIM_FORMAT = { format: 'turnwise-claim', formatVersion: 2 } as const;

/** A run, reduced to the values that show whether another run is the same. */
export interface RunRecord {
  readonly arm: string;
  readonly seed: number;
  readonly world: number;
  /** Of the policy that it began with. */
  readonly digest: string;
  /** Of what it found: everything measured, and the curves that are named. */
  readonly result: string;
  readonly version?: string;
  readonly commit?: string;
  /** Engine and device. */
  readonly device: string;
  readonly again?: number;
  /** Numbers of the run, by their names: those of the tests, and what was measured of its policy. */
  readonly values?: Readonly<Record<string, number | null>>;
}

/** The verdict with all tests of the paper in mind. */
export interface Corrected {
  readonly probability: number;
  readonly status: Status;
  /** Result of an interim analysis: the conclusion is open until all seeds are there. */
  readonly interim?: Status;
}

export type PairedResult = PairedOutcome & { readonly corrected: Corrected };
export type CountedResult = CountedOutcome & { readonly corrected: Corrected };

/** By arm and by metric: a number at regularly spaced updates (`every`). */
export type CurvesOfArms = Readonly<Record<string, Readonly<Record<string, readonly (number | null)[]>>>>;

export interface ExperimentResult {
  readonly name: string;
  /** The experiment at the time of this result: a test compares it with the claim. */
  readonly definition: ExperimentDefinition;
  /** Seeds of the arms of a primary test; of other arms where it has none. */
  readonly seeds: number;
  /** The same runs by `compare`. */
  readonly command: string;
  readonly runs: readonly RunRecord[];
  /** Runs that are missing, and the hours that they take on the machine of the others. */
  readonly missing: number;
  readonly hours: number;
  readonly outcomes: readonly (PairedResult | CountedResult)[];
  /** As `compare` prints it. */
  readonly table?: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };
  /** Means over the seeds at regularly spaced updates, by arm. */
  readonly curves: {
    readonly every: number;
    readonly of: CurvesOfArms;
    /** The least and the largest of any seed at the same updates, where there are several. */
    readonly least?: CurvesOfArms;
    readonly maximum?: CurvesOfArms;
  };
}

/** Properties of an experiment that decide its conclusions. */
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

/** Seeds at which every arm of the primary test has a run (every arm of a question of the project), out of all seeds of the claim. */
export interface SeedCount {
  readonly there: number;
  readonly of: number;
}

export interface ClaimResult {
  readonly format: typeof CLAIM_FORMAT.format;
  readonly formatVersion: typeof CLAIM_FORMAT.formatVersion;
  readonly id: string;
  readonly seeds: SeedCount;
  readonly experiments: readonly ExperimentResult[];
}
