import { around, mean, standardDeviation } from '../statistics.ts';
import type { Arm, ArmFindings, ArmPlan, ArmRun, HeldOut, ProgramEnvironment } from './armComparison.ts';

/** Mean and sample deviation over seeds; NaN where nothing was measured. */
export interface Cell {
  readonly mean: number;
  readonly deviation: number;
  /** Seeds that have a value. */
  readonly count: number;
}

/** What a column of a table measures of a run. */
export interface Column {
  readonly name: string;
  readonly title: string;
  /** percent: a share times 100. */
  readonly format: 'percent' | 'share' | 'number';
  readonly of: (run: ArmRun, plan: ArmPlan) => number;
  /** The same of the policy that the runs start from, where it has such a thing. */
  readonly base?: (heldOut: HeldOut) => number;
}

/** An arm, or the policy that all start from. */
export interface ArmRow {
  readonly name: string;
  readonly seeds: number;
  /** [columns] */
  readonly cells: readonly Cell[];
}

export interface ArmTable {
  readonly columns: readonly Column[];
  readonly rows: readonly ArmRow[];
}

/** Training solves this share: what `updates` waits for. */
export const GOAL = 0.8;
/** Budgets that differ from their mean by no more are called equal. */
const BUDGET_TOLERANCE = 0.05;

/** A curve of a run; missing values are NaN. */
export function curveOf({ series }: ArmRun, name: string): readonly number[] {
  return (series[name] ?? []).map((value) => value ?? NaN);
}

/** Mean of a curve's values, without those that are missing. @param part first or last quarter, at least one update */
export function meanOf(run: ArmRun, name: string, part?: 'first' | 'last'): number {
  const values = curveOf(run, name);
  const quarter = Math.ceil(values.length / 4);
  const [from, until] =
    part === undefined ? [0, values.length] : part === 'first' ? [0, quarter] : [-quarter, undefined];
  return mean(values.slice(from, until).filter(Number.isFinite));
}

/** Updates until the curve, averaged over its neighbours, first reaches a value; NaN where it never does. */
export function updatesTo(curve: readonly number[], value: number): number {
  const step = curve.findIndex((_, at) => around(curve, at) >= value);
  return step < 0 ? NaN : step;
}

const heldOut = (name: string, title: string, format: Column['format'] = 'percent'): Column => ({
  name,
  title,
  format,
  of: (run) => run.heldOut[name] ?? NaN,
  base: (measured) => measured[name] ?? NaN,
});

const curveMean = (name: string, title: string, format: Column['format'], part?: 'first' | 'last'): Column => ({
  name: part ? `${name}:${part}` : name,
  title,
  format,
  of: (run) => meanOf(run, name, part),
});

/** Shares of the time of an update. Waiting for programs is told apart from the rest of generation. */
const TIMES: readonly Column[] = [
  curveMean('stepMs', 'ms an update', 'number'),
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

/** What arms of an environment must have alike: what an update generates. */
const BUDGETS: Readonly<Record<ProgramEnvironment, Column>> = {
  repair: curveMean('turns', 'programs an update', 'number'),
  repo: {
    name: 'episodes',
    title: 'episodes an update',
    format: 'number',
    of: (run, plan) => meanOf(run, 'tasks') * Number(run.arm.changes.groupSize ?? plan.controls.groupSize),
  },
};

const COLUMNS: Readonly<Record<ProgramEnvironment, readonly Column[]>> = {
  repair: [
    heldOut('iter1', 'Iter-1'),
    heldOut('iter3', 'Iter-3'),
    heldOut('repairRate', 'repair rate', 'share'),
    curveMean('degenerate', 'ties, first quarter', 'share', 'first'),
    curveMean('degenerate', 'ties, last quarter', 'share', 'last'),
    curveMean('retained', 'retained', 'share'),
    BUDGETS.repair,
    ...TIMES,
  ],
  repo: [
    heldOut('solved', 'pass@1'),
    heldOut('tested', 'test before finish', 'share'),
    curveMean('zeroAdvantage', 'zero advantage', 'share'),
    {
      name: 'updatesToGoal',
      title: `updates to ${100 * GOAL} %`,
      format: 'number',
      of: (run) => updatesTo(curveOf(run, 'solved'), GOAL),
    },
    curveMean('retained', 'retained', 'share'),
    curveMean('steps', 'actions', 'number'),
    BUDGETS.repo,
    ...TIMES,
  ],
};

/** The table of a comparison: the policy that all start from, then the arms in the order asked for. */
export function armTable(findings: ArmFindings, arms: readonly Arm[]): ArmTable {
  const { plan, base } = findings;
  const columns = COLUMNS[plan.environment];
  const start: ArmRow = {
    name: 'base',
    seeds: base.length,
    cells: columns.map(({ base: measure }) => cell(measure ? base.map(({ heldOut }) => measure(heldOut)) : [])),
  };
  const rows = arms.flatMap(({ name }): ArmRow[] => {
    const runs = findings.runs.filter(({ arm }) => arm.name === name);
    const cells = columns.map(({ of }) => cell(runs.map((run) => of(run, plan))));
    return runs.length === 0 ? [] : [{ name, seeds: runs.length, cells }];
  });
  return { columns, rows: base.length === 0 ? rows : [start, ...rows] };
}

/** What an update generated: the unit, the mean over all arms, and the arms that lie off it. */
export interface Budget {
  readonly title: string;
  readonly mean: number;
  readonly unequal: readonly { readonly name: string; readonly mean: number }[];
}

/** Whether the arms generated alike. */
export function budgetOf(findings: ArmFindings, arms: readonly Arm[]): Budget {
  const { title, of } = BUDGETS[findings.plan.environment];
  const each = arms.flatMap(({ name }) => {
    const runs = findings.runs.filter(({ arm }) => arm.name === name);
    return runs.length === 0 ? [] : [{ name, mean: mean(runs.map((run) => of(run, findings.plan))) }];
  });
  const middle = mean(each.map((arm) => arm.mean));
  const unequal = each.filter((arm) => Math.abs(arm.mean - middle) > BUDGET_TOLERANCE * middle);
  return { title, mean: middle, unequal };
}

function cell(values: readonly number[]): Cell {
  const finite = values.filter(Number.isFinite);
  return { mean: mean(finite), deviation: standardDeviation(finite), count: finite.length };
}
