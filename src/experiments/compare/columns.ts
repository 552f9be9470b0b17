import type { RunValue } from '../../environments/claim.ts';
import type { ComparisonColumn } from '../../environments/declaredComparison.ts';
import { around, computeFinalMean } from '../statistics.ts';
import type { Column, PointsColumn, StatisticsColumn } from './compared.ts';
import { type ArmRun, type ComparisonPlan, curveOf, meanOf, updatesTo } from './findings.ts';

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
  {
    name: 'generating',
    title: 'generating',
    format: 'share',
    of: (run) => (meanOf(run, 'generateMs') - meanOf(run, 'executeMs')) / meanOf(run, 'stepMs'),
  },
  {
    name: 'executing',
    title: 'executing',
    format: 'share',
    of: (run) => meanOf(run, 'executeMs') / meanOf(run, 'stepMs'),
  },
  {
    name: 'updating',
    title: 'updating',
    format: 'share',
    of: (run) => meanOf(run, 'updateMs') / meanOf(run, 'stepMs'),
  },
];
