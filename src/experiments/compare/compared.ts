import type { ColumnFormat, ComparisonDrawing, EnvironmentComparison } from '../../environments/declaredComparison.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import type { Strata } from '../evaluation/heldOut.ts';
import type { ArmRun, ComparisonPlan, Measured } from './findings.ts';

/** Comparison of one environment: measurements, columns of the table and tested claims. */
export interface ComparedEnvironment {
  readonly environment: EnvironmentName;
  /** Default arms, number of seeds and number of updates. */
  readonly standard: { readonly arms: readonly string[]; readonly seeds: number; readonly steps: number };
  /** Estimated processor time of an update, including its share of the Lab's measurements [s]. */
  readonly seconds: number;
  /** Estimated processor time of a warm start [s]. */
  readonly startSeconds: number;
  /** Measurement settings that the user can choose, by the name of the flag. All are integers. */
  readonly measuring: Readonly<Record<string, Amount>>;
  /** True if policies are measured with the environment's evaluation sampling (temperature, topP, topK). */
  readonly separateSampling: boolean;
  /** True if an initial policy is measured once. False if it is measured with the draws of each seed. */
  readonly baseOnce: boolean;
  /** True if each seed can have a separate warm start. */
  readonly freshWarmStart: boolean;
  /** Measures the initial policy. @param signal stops the measurement, whose result is then discarded */
  readonly measureBase: Measure;
  /**
   * Returns the difficulty of the held-out tasks for the initial policy, measured before any run is trained. Returns
   * undefined if the difficulty is not requested or the measurement was stopped.
   */
  readonly strata?: (
    trainer: Trainer,
    plan: ComparisonPlan,
    signal: AbortSignal | undefined,
  ) => Promise<Strata | undefined>;
  /** Measures a trained policy on tasks that are excluded from training. */
  readonly measure: Measure;
  readonly columns: (plan: ComparisonPlan) => readonly Column[];
  /** Amount of generated work per update, which should be equal for all arms; absent if the amount is fixed. */
  readonly budget?: StatisticsColumn;
  readonly drawing: ComparisonDrawing;
  /** Notes on the table, one or two sentences per line. */
  readonly notes: (plan: ComparisonPlan) => readonly string[];
  /** Expected rates of the warm starts, one entry per world. */
  readonly warmStarts?: EnvironmentComparison['warmStarts'];
  /** Examples for --help, without the leading `compare`. */
  readonly examples: readonly string[];
}

/** Integer setting that the user can choose. */
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

/** Column with one number per run, reported as mean and sample deviation over seeds. */
export interface StatisticsColumn {
  readonly name: string;
  readonly title: string;
  readonly format: ColumnFormat;
  readonly of: (run: ArmRun, plan: ComparisonPlan) => number;
  /** Returns the value of the initial policy; absent if the initial policy has no such value. */
  readonly base?: (measured: Measured) => number;
}

/** Column with several points of a curve, reported as means over seeds. */
export interface PointsColumn {
  readonly name: string;
  readonly title: string;
  readonly format: 'points';
  readonly of: (run: ArmRun) => readonly number[];
}

export type Column = StatisticsColumn | PointsColumn;
