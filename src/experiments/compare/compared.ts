import type { RunValue } from '../../environments/claim.ts';
import type { ColumnFormat, ComparisonColumn, EnvironmentComparison } from '../../environments/declaredComparison.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import type { Strata } from '../evaluation/heldOut.ts';
import { around, computeFinalMean } from '../statistics.ts';
import { type ArmRun, type ComparisonPlan, curveOf, type Measured, meanOf, updatesTo } from './findings.ts';

/** Measurement of the policies of a comparison. */
export interface Measuring {
  /** Measurement settings that the user can choose, by the name of the flag. All are integers. */
  readonly measuring: Readonly<Record<string, Amount>>;
  /** True if policies are measured with the environment's evaluation sampling (temperature, topP, topK). */
  readonly separateSampling: boolean;
  /** True if an initial policy is measured once. False if it is measured with the draws of each seed. */
  readonly baseOnce: boolean;
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
}

/** Comparison of one environment: its declaration, with measurements and columns of the table. */
export interface ComparedEnvironment
  extends Omit<EnvironmentComparison, 'samples' | 'columns' | 'budget' | 'notes'>,
    Measuring {
  readonly columns: (plan: ComparisonPlan) => readonly Column[];
  /** Amount of generated work per update, which should be equal for all arms; absent if the amount is fixed. */
  readonly budget?: StatisticsColumn;
  /** Notes on the table, one or two sentences per line. */
  readonly notes: (plan: ComparisonPlan) => readonly string[];
}

/** Integer setting that the user can choose. */
export interface Amount {
  readonly help: string;
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** Additional measurement that the user can request by an amount. The amount 0 turns it off, if it is allowed. */
export interface OptionalMeasurement {
  readonly amount: Amount;
  /** Returns the columns of the requested measurement. @param amount requested amount, above 0 */
  readonly columns: (amount: number, plan: ComparisonPlan) => readonly StatisticsColumn[];
  readonly note?: (amount: number, plan: ComparisonPlan) => string;
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

/** Returns the value of a run; NaN if the run has no such value. */
export function readValue(value: RunValue, run: ArmRun, plan: ComparisonPlan): number {
  if ('measured' in value) return run.heldOut[value.measured] ?? NaN;
  if ('start' in value) return curveOf(run, value.start)[0] ?? NaN;
  if ('within' in value) {
    const curve = curveOf(run, value.curve);
    const reached = updatesTo(curve, value.within);
    return Number.isNaN(reached) ? curve.length : reached;
  }
  if ('curve' in value) return updatesTo(curveOf(run, value.curve), value.reaches);
  if ('end' in value) {
    const end = computeFinalMean(curveOf(run, value.end));
    return value.below === undefined ? end : Number(end < value.below);
  }
  const { mean, part, times, scale = 1, over } = value;
  const control = times === undefined ? 1 : Number(run.arm.changes[times] ?? plan.controls[times]);
  return (scale * meanOf(run, mean, part) * control) / (over === undefined ? 1 : meanOf(run, over, part));
}

/** Returns a declared column in the form that the table reads. */
export function columnOf(column: ComparisonColumn, plan: ComparisonPlan): Column {
  return column.format === 'points' ? pointsColumn(column, plan) : createStatisticsColumn(column);
}

export function createStatisticsColumn(column: Exclude<ComparisonColumn, { format: 'points' }>): StatisticsColumn {
  const { of, base, ...rest } = column;
  return {
    ...rest,
    of: (run, plan) => readValue(of, run, plan),
    ...(base ? { base: (measured) => measured[column.name] ?? NaN } : {}),
  };
}

/** Creates the column of a measured value, for trained policies and for their initial policy. */
export function measuredColumn(name: string, title: string, format: StatisticsColumn['format']): StatisticsColumn {
  const of = (measured: Measured) => measured[name] ?? NaN;
  return { name, title, format, of: ({ heldOut }) => of(heldOut), base: of };
}

/** Creates a column with the values of a curve at the steps before the end of a run, and its final mean. */
function pointsColumn(
  { name, title, steps }: Extract<ComparisonColumn, { format: 'points' }>,
  { steps: updates }: ComparisonPlan,
): PointsColumn {
  const reached = steps.filter((step) => step === 0 || step < updates - 1);
  return {
    name,
    title: `${title} ${[...reached, 'end'].join('/')}`,
    format: 'points',
    of: (run) => {
      const curve = curveOf(run, name);
      return [...reached.map((step) => around(curve, step)), computeFinalMean(curve)];
    },
  };
}

/** Columns of the update time. Shares of generation exclude the wait for programs, which is a separate column. */
export const TIMES: readonly StatisticsColumn[] = [
  { name: 'stepMs', title: 'ms an update', format: 'number', of: (run) => meanOf(run, 'stepMs') },
  shareOfUpdate('generating', (run) => meanOf(run, 'generateMs') - meanOf(run, 'executeMs')),
  shareOfUpdate('executing', (run) => meanOf(run, 'executeMs')),
  shareOfUpdate('updating', (run) => meanOf(run, 'updateMs')),
];

function shareOfUpdate(name: string, time: (run: ArmRun) => number): StatisticsColumn {
  return { name, title: name, format: 'share', of: (run) => time(run) / meanOf(run, 'stepMs') };
}
