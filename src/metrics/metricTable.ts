import type { MetricGroup, MetricRow, MetricValues } from './metric.ts';
import { LEARNED } from './rows/learned.ts';
import { ROLLOUT_ROWS } from './rows/rollouts.ts';
import { TIMED } from './rows/timed.ts';

/**
 * Metrics that an update reports in every environment. A new metric needs a row here, and its value in `updateMetrics`.
 */
export const METRICS = [...ROLLOUT_ROWS, ...LEARNED, ...TIMED] as const satisfies readonly MetricRow[];

type Row = (typeof METRICS)[number];

/** Metrics of one update. The names are the same in files and in the terminal's JSON Lines; NaN is null there. */
export type Metrics = MetricValues<typeof METRICS>;

/** Metrics that are one number an update. */
export type NumberMetric = Extract<Row, { readonly kind: 'integer' | 'number' | 'nullable' }>['name'];

/** Metrics that are tables of numbers by name. */
type TableMetric = Extract<Row, { readonly kind: 'numbers' | 'nullables' | 'sparse' }>['name'];

const BY_NAME: ReadonlyMap<string, MetricRow> = new Map(METRICS.map((row) => [row.name, row]));

/** The row of a metric. */
export function metricRow(name: keyof Metrics): MetricRow {
  return BY_NAME.get(name) as MetricRow;
}

/** The row of a name from outside; undefined for one that the table lacks. */
export function findMetric(name: string): MetricRow | undefined {
  return BY_NAME.get(name);
}

/** The rows of a group, in the order of the table. */
export function metricsOfGroup<Group extends MetricGroup>(group: Group): Extract<Row, { readonly group: Group }>[] {
  return METRICS.filter((row): row is Extract<Row, { readonly group: Group }> => row.group === group);
}

/** The metrics that are tables of numbers. */
export const TABLES: readonly (MetricRow & { readonly name: TableMetric })[] = METRICS.filter(
  (row): row is Extract<Row, { readonly name: TableMetric }> => 'column' in row,
);
