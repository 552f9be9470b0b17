import type { ClaimTest } from '../../environments/claim.ts';
import type { Status } from './judge.ts';
import type { CountedOutcome, PairedOutcome } from './outcome.ts';

// The results of a claim as data: what docs/lab keeps of the runs. Numbers that JSON cannot hold are null there.

export const CLAIM_FORMAT = { format: 'turnwise-claim', formatVersion: 1 } as const;

/** A run, as much of it as tells whether another one is the same. */
export interface RunRecord {
  readonly arm: string;
  readonly seed: number;
  readonly world: number;
  /** Of the policy that it began with. */
  readonly digest: string;
  /** Of what it found: everything measured, and the curves that are named. */
  readonly result: string;
  readonly version?: string;
  readonly device: string;
  readonly again?: number;
}

/** A paired outcome without what the claim says already. */
export interface PairedResult extends Omit<PairedOutcome, 'test'> {
  readonly test: PairedOutcome['test'];
  /** With all paired tests of its paper, by Holm. */
  readonly corrected: { readonly probability: number; readonly status: Status };
}

/** By arm and by metric: a number at every so manieth update. */
export type CurvesOfArms = Readonly<Record<string, Readonly<Record<string, readonly (number | null)[]>>>>;

export interface ExperimentResult {
  readonly name: string;
  /** What was asked when this was made: a test holds it against the claim. */
  readonly asked: ExperimentAsked;
  /** Seeds an arm: those asked for, or more where they left a test undecided. */
  readonly seeds: number;
  /** The same runs by `compare`. */
  readonly command: string;
  readonly runs: readonly RunRecord[];
  /** Runs that are missing, and the hours that they take on the machine of the others. */
  readonly missing: number;
  readonly hours: number;
  readonly outcomes: readonly (PairedResult | CountedOutcome)[];
  /** As `compare` prints it. */
  readonly table?: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };
  /** Means over the seeds at every so manieth update, by arm. */
  readonly curves: {
    readonly every: number;
    readonly of: CurvesOfArms;
    /** The least and the largest of any seed at the same updates, where there are several. */
    readonly least?: CurvesOfArms;
    readonly most?: CurvesOfArms;
  };
}

/** What of an experiment decides its verdicts. */
export interface ExperimentAsked {
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

export interface ClaimResult {
  readonly format: typeof CLAIM_FORMAT.format;
  readonly formatVersion: typeof CLAIM_FORMAT.formatVersion;
  readonly id: string;
  readonly experiments: readonly ExperimentResult[];
}
