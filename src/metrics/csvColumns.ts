import type { MetricRow } from './metric.ts';
import { findMetric, type Metrics, TABLES } from './metricTable.ts';

/**
 * Returns the columns of a CSV file of updates. The metrics of the first update come first. One column follows per name
 * in a table of numbers: `component:right`, `fact:pass1`, `heldOut:iter1`.
 */
export function csvColumns(metrics: readonly Metrics[]): string[] {
  const plainKeys = Object.keys(metrics[0] ?? {}).filter((key) => TABLES.every(({ name }) => name !== key));
  const parts = TABLES.flatMap(({ name: table, column }) => {
    const names = new Set(metrics.flatMap((row: Partial<Metrics>) => Object.keys(row[table] ?? {})));
    return [...names].map((name) => `${column}:${name}`);
  });
  return [...plainKeys, ...parts];
}

/**
 * Returns the metric of a column, and the name of its number if the metric is a table. An unknown column has no metric.
 */
export function csvMetric(column: string): { readonly metric: MetricRow | undefined; readonly part?: string } {
  const [prefix, ...rest] = column.split(':');
  if (rest.length === 0) return { metric: findMetric(column) };
  return { metric: TABLES.find((table) => table.column === prefix), part: rest.join(':') };
}

/**
 * Returns a function that reads the value of a column from an update. It returns undefined if the update has no value.
 */
export function csvReader(column: string): (row: Metrics) => unknown {
  const { metric, part } = csvMetric(column);
  const name = (metric?.name ?? column) as keyof Metrics;
  if (part === undefined) return (row) => row[name];
  return (row) => (row[name] as Readonly<Record<string, unknown>> | null | undefined)?.[part];
}
