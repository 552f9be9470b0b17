import type { ColumnFormat, ComparisonDrawing } from '../../environments/declaredComparison.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import type { Status } from '../claims/judge.ts';
import type { Strata } from './difficulty.ts';
import type { Arm, ArmRun, ComparisonPlan, Findings, Measured } from './findings.ts';

/** How one environment is compared in: what is measured, what the table has, which claims are put to the test. */
export interface ComparedEnvironment {
  readonly environment: EnvironmentName;
  /** What is asked for unless told otherwise. */
  readonly standard: { readonly arms: readonly string[]; readonly seeds: number; readonly steps: number };
  /** Estimated processor time of an update with its share of the measurements of the lab [s]. */
  readonly seconds: number;
  /** Estimated processor time of a warm start [s]. */
  readonly startSeconds: number;
  /** How policies are measured: whole numbers that a person may choose, by the name of their flag. */
  readonly measuring: Readonly<Record<string, Amount>>;
  /** Policies are measured with the environment's own way of drawing tokens (temperature, topP, topK). */
  readonly ownSampling: boolean;
  /** A policy to start from is measured once, or with the draws of every seed. */
  readonly baseOnce: boolean;
  /** Every seed may make a warm start of its own. */
  readonly freshWarmStart: boolean;
  /** Measures the policy that runs start from. @param signal stops it; what it gives then is not used */
  readonly measureBase: Measure;
  /**
   * How hard the held-out tasks are for the policy that runs start from, which is asked before any of them is trained;
   * undefined where nobody wants to know, or where it was stopped.
   */
  readonly strata?: (
    trainer: Trainer,
    plan: ComparisonPlan,
    signal: AbortSignal | undefined,
  ) => Promise<Strata | undefined>;
  /** Measures a trained policy on tasks that it never met. */
  readonly measure: Measure;
  readonly columns: (plan: ComparisonPlan) => readonly Column[];
  /** What an update generates, which arms must have alike; absent where it is fixed. */
  readonly budget?: SpreadColumn;
  readonly drawing: ComparisonDrawing;
  /** How the table is to be read, one sentence or two a line. */
  readonly notes: (plan: ComparisonPlan) => readonly string[];
  /** All claims that the findings have something to say about. */
  readonly verdicts: (findings: Findings, arms: readonly Arm[]) => readonly Verdict[];
  /** For --help, after `compare`. */
  readonly examples: readonly string[];
}

/** A whole number that a person may choose. */
export interface Amount {
  readonly help: string;
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

export type Measure = (
  trainer: Trainer,
  plan: ComparisonPlan,
  signal: AbortSignal | undefined,
  strata?: Strata,
) => Promise<Measured>;

/** A number of each run, told as mean and deviation over seeds. */
export interface SpreadColumn {
  readonly name: string;
  readonly title: string;
  readonly format: ColumnFormat;
  readonly of: (run: ArmRun, plan: ComparisonPlan) => number;
  /** The same of the policy that the runs start from, where it has such a thing. */
  readonly base?: (measured: Measured) => number;
}

/** Several points of each run's curve, told as means over seeds. */
export interface PointsColumn {
  readonly name: string;
  readonly title: string;
  readonly format: 'points';
  readonly of: (run: ArmRun) => readonly number[];
}

export type Column = SpreadColumn | PointsColumn;

/** A claim put to the test. */
export interface Verdict {
  readonly statement: string;
  readonly status: 'reproduced' | 'not reproduced' | Status;
  /** What was found, in numbers. */
  readonly found: string;
  /** Why it is open. */
  readonly reason?: string;
}
