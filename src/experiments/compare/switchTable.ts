import { around, computeFinalMean, mean, RADIUS } from '../statistics.ts';
import { type Arm, beforeName, isSwitched, type SwitchedArm, updatesBefore } from './arms.ts';
import { type ArmRun, type ComparisonPlan, curveOf, type Findings } from './findings.ts';

/** Runs with the same switch. */
export interface SwitchRow {
  readonly from: string;
  readonly to: string;
  /** Number of updates under the first arm before the second arm replaces it. */
  readonly step: number;
  /** True if the run starts under the second arm (Switch.habit). */
  readonly habit: boolean;
  readonly runs: readonly SwitchedRun[];
}

type SwitchedRun = ArmRun & { readonly arm: SwitchedArm };

/** Returns a row for each requested switch that has runs. */
export function switchRows({ runs }: Pick<Findings, 'runs'>, arms: readonly Arm[]): readonly SwitchRow[] {
  return arms.filter(isSwitched).flatMap((arm): SwitchRow[] => {
    const armRuns = runs.filter((run): run is SwitchedRun => isSwitched(run.arm) && run.arm.name === arm.name);
    const { to, habit } = arm.switch;
    const row = { from: beforeName(arm), to: to.name, step: updatesBefore(arm), habit: habit !== undefined };
    return armRuns.length === 0 ? [] : [{ ...row, runs: armRuns }];
  });
}

/** Returns the numbers of updates after the switch at which curves are reported: the quarters of the plan's updates. */
export function listReportSteps({ steps }: Pick<ComparisonPlan, 'steps'>): readonly number[] {
  return [...new Set([1, 2, 3, 4].map((quarter) => Math.round((quarter * steps) / 4)))];
}

/** Returns the value of a metric before the switch: the mean over the last updates before it. */
export function beforeSwitch(run: SwitchedRun, metric: string): number {
  return computeFinalMean(curveOf(run, metric).slice(0, run.arm.switch.step));
}

/**
 * Returns the moving average of a metric after a number of updates since the switch, or its last value if the run is
 * shorter.
 */
export function afterSwitch(run: SwitchedRun, metric: string, updates: number): number {
  const curve = sliceCurve(run, metric);
  return updates >= curve.length ? mean(curve.slice(-(RADIUS + 1))) : around(curve, updates);
}

export function sliceCurve(run: SwitchedRun, metric: string): readonly number[] {
  return curveOf(run, metric).slice(run.arm.switch.step);
}
