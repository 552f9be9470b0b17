import type { ColumnFormat, ComparisonDrawing } from '../../environments/declaredComparison.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import type { Status } from '../claims/judge.ts';
import type { Strata } from './difficulty.ts';
import type { Arm, ArmRun, ComparisonPlan, Findings, Measured } from './findings.ts';

/**
 * Comparison settings of one environment: the measurements, the content of the table, and the claims that are tested.
 */
export interface ComparedEnvironment {
  readonly environment: EnvironmentName;
  /** Arms, seeds and steps that are used if no others are requested. */
  readonly standard: { readonly arms: readonly string[]; readonly seeds: number; readonly steps: number };
  /** Estimated processor time of an update with its share of the measurements of the lab [s]. */
  readonly seconds: number;
  /** Estimated processor time of a warm start [s]. */
  readonly startSeconds: number;
  /** Settings for measuring policies: whole numbers that the user may choose, by the name of their flag. */
  readonly measuring: Readonly<Record<string, Amount>>;
  /** Policies are measured with the environment's own way of drawing tokens (temperature, topP, topK). */
  readonly separateSampling: boolean;
  /** A policy to start from is measured once, or with the draws of every seed. */
  readonly baseOnce: boolean;
  /** Every seed may make a separate warm start. */
  readonly freshWarmStart: boolean;
  /** Measures the policy that runs start from. @param signal stops it; what it gives then is not used */
  readonly measureBase: Measure;
  /**
   * Returns the difficulty of the held-out tasks for the policy that runs start from, measured before any run is
   * trained. Returns undefined if the difficulty is not requested, or if the measurement was stopped.
   */
  readonly strata?: (
    trainer: Trainer,
    plan: ComparisonPlan,
    signal: AbortSignal | undefined,
  ) => Promise<Strata | undefined>;
  /** Measures a trained policy on tasks that it never met. */
  readonly measure: Measure;
  readonly columns: (plan: ComparisonPlan) => readonly Column[];
  /** Amount that an update generates, which must be equal for all arms; absent if the amount is fixed. */
  readonly budget?: StatisticsColumn;
  readonly drawing: ComparisonDrawing;
  /** Notes on reading the table, one or two sentences a line. */
  readonly notes: (plan: ComparisonPlan) => readonly string[];
  /** All claims that the findings have something to say about. */
  readonly conclusions: (findings: Findings, arms: readonly Arm[]) => readonly TestedClaim[];
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

/** Number of each run, reported as mean and deviation over seeds. */
export interface StatisticsColumn {
  readonly name: string;
  readonly title: string;
  readonly format: ColumnFormat;
  readonly of: (run: ArmRun, plan: ComparisonPlan) => number;
  /** The same of the policy that the runs start from, where it has such a thing. */
  readonly base?: (measured: Measured) => number;
}

/** Several points of the curve of each run, reported as means over seeds. */
export interface PointsColumn {
  readonly name: string;
  readonly title: string;
  readonly format: 'points';
  readonly of: (run: ArmRun) => readonly number[];
}

export type Column = StatisticsColumn | PointsColumn;

/** Tested claim. */
export interface TestedClaim {
  readonly statement: string;
  readonly status: 'reproduced' | 'not reproduced' | Status;
  /** Result in numbers. */
  readonly finding: string;
  /** Why it is open. */
  readonly reason?: string;
}
