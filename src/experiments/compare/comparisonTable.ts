import { mean, sampleDeviation } from '../statistics.ts';
import type { Arm } from './arms.ts';
import type { Column, StatisticsColumn } from './compared.ts';
import { COMPARED } from './comparedEnvironments.ts';
import type { Findings } from './findings.ts';

/** Maximum relative difference from the mean for budgets that count as equal. */
const BUDGET_TOLERANCE = 0.05;

/** Mean and sample deviation over seeds; NaN if no seed has a value. */
export interface SummaryStatistics {
  readonly mean: number;
  readonly deviation: number;
  /** Number of seeds that have a value. */
  readonly count: number;
}

/** Means over seeds of several points of a curve. */
export interface Points {
  readonly points: readonly number[];
}

/** Row of an arm, or of the initial policy of all arms. */
export interface Row {
  readonly name: string;
  readonly seeds: number;
  /** [columns] */
  readonly cells: readonly (SummaryStatistics | Points)[];
}

export interface ComparisonTable {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

/**
 * Returns the table of a comparison. The first row is the initial policy if any column reports it. The arms follow in
 * the requested order.
 */
export function comparisonTable(
  findings: Findings,
  arms: readonly Arm[],
  columns = COMPARED[findings.plan.environment].columns(findings.plan),
): ComparisonTable {
  const { plan, base } = findings;
  const rows = arms.flatMap(({ name }): Row[] => {
    const runs = findings.runs.filter(({ arm }) => arm.name === name);
    const cells = columns.map((column) =>
      column.format === 'points' ? pointsOf(runs.map(column.of)) : summarize(runs.map((run) => column.of(run, plan))),
    );
    return runs.length === 0 ? [] : [{ name, seeds: runs.length, cells }];
  });
  const hasBase = columns.some((column) => baseOf(column)) && base.length > 0;
  const start = (): Row => ({
    name: 'base',
    seeds: base.length,
    cells: columns.map((column) => summarize(base.flatMap(({ measured }) => baseOf(column)?.(measured) ?? []))),
  });
  return { columns, rows: hasBase ? [start(), ...rows] : rows };
}

/** Budget per update: the unit, the mean over all arms, and the arms that deviate from the mean. */
export interface Budget {
  readonly title: string;
  readonly mean: number;
  readonly unequal: readonly { readonly name: string; readonly mean: number }[];
}

/** Compares the budgets of the arms. Returns undefined if the environment has a fixed budget. */
export function budgetOf(findings: Findings, arms: readonly Arm[]): Budget | undefined {
  const { plan } = findings;
  const { budget } = COMPARED[plan.environment];
  if (!budget) return undefined;
  const each = arms.flatMap(({ name }) => {
    const runs = findings.runs.filter(({ arm }) => arm.name === name);
    const average = mean(runs.map((run) => budget.of(run, plan)));
    // Expert iteration has no updates.
    return Number.isNaN(average) ? [] : [{ name, mean: average }];
  });
  const middle = mean(each.map((arm) => arm.mean));
  const unequal = each.filter((arm) => Math.abs(arm.mean - middle) > BUDGET_TOLERANCE * middle);
  return { title: budget.title, mean: middle, unequal };
}

function baseOf(column: Column): StatisticsColumn['base'] {
  return column.format === 'points' ? undefined : column.base;
}

function summarize(values: readonly number[]): SummaryStatistics {
  const finite = values.filter(Number.isFinite);
  return { mean: mean(finite), deviation: sampleDeviation(finite), count: finite.length };
}

/** Computes [points] the means over the runs. */
function pointsOf(runs: readonly (readonly number[])[]): Points {
  return { points: (runs[0] ?? []).map((_, at) => mean(runs.map((values) => values[at] ?? NaN))) };
}
