import type { Bounds, SwitchTest } from '../../environments/claim.ts';
import { around, computeFinalMean, mean, RADIUS } from '../statistics.ts';
import { type Arm, beforeName, isSwitched, type SwitchedArm, updatesBefore } from './arms.ts';
import { inside } from './bounds.ts';
import type { TestedClaim } from './compared.ts';
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

function sliceCurve(run: SwitchedRun, metric: string): readonly number[] {
  return curveOf(run, metric).slice(run.arm.switch.step);
}

/** Returns for each matching switch step which runs reach the bounds of a test. */
export function switchCounts(
  { from, to, since, habit, metric, within, bounds }: SwitchTest,
  rows: readonly SwitchRow[],
) {
  return rows
    .filter((row) => row.from === from && row.to === to && row.step >= since && row.habit === (habit ?? false))
    .map(({ step, runs }) => ({
      step,
      runs: runs.map((run) => ({ seed: run.seed, reached: reaches(sliceCurve(run, metric), within, bounds) })),
    }));
}

/** Tests the claims about switches. A claim must hold at all switch steps, which are trained separately. */
export function testSwitchClaims(
  claims: readonly SwitchTest[],
  rows: readonly SwitchRow[],
  { steps }: Pick<ComparisonPlan, 'steps'>,
  { seeds, undecided }: { readonly seeds: number; readonly undecided: string | undefined },
): readonly TestedClaim[] {
  return claims.flatMap((claim): TestedClaim[] => {
    const matching = switchCounts(claim, rows);
    if (matching.length === 0) return [];
    const counts = matching.map(({ step, runs }) => ({
      step,
      count: runs.filter(({ reached }) => reached).length,
      of: runs.length,
    }));
    const result = counts.map(({ step, count, of }) => `at update ${step}: ${count} of ${of} seeds`).join(', ');
    const short = steps < claim.within ? `the claim is about ${claim.within} updates after the switch` : undefined;
    const seedReason = counts.some(({ of }) => of < seeds) ? `the claim is about ${seeds} seeds` : undefined;
    const { statement } = claim;
    const reason = undecided ?? short ?? seedReason;
    if (reason) return [{ statement, status: 'open', finding: result, reason }];
    const holds = counts.every(({ count, of }) => count > claim.share * of);
    return [{ statement, status: holds ? 'reproduced' : 'not reproduced', finding: result }];
  });
}

/** Returns true if the moving average of a curve is within bounds at any of the first `within` updates. */
function reaches(curve: readonly number[], within: number, bounds: Bounds): boolean {
  return Array.from({ length: Math.min(within, curve.length) }, (_, at) => around(curve, at)).some((value) =>
    inside(bounds, value),
  );
}
