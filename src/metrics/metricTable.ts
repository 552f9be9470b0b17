import type { RolloutBatch } from '../rollouts/rolloutBatch.ts';
import type { MetricGroup, MetricKind, MetricRow, MetricValues } from './metric.ts';
import { LEARNED } from './rows/learned.ts';
import { ROLLOUT_ROWS } from './rows/rollouts.ts';
import { TIMED } from './rows/timed.ts';

/**
 * Metrics that an update reports in every environment. To add a metric, add a row to a list of `rows`. A row
 * without `ofBatch` also needs a value in `updateMetrics`.
 */
export const METRICS = [...ROLLOUT_ROWS, ...LEARNED, ...TIMED] as const satisfies readonly MetricRow[];

type Row = (typeof METRICS)[number];

/** Metrics of one update. Files and the terminal's JSON Lines use the same names, with null for NaN. */
export type Metrics = MetricValues<typeof METRICS>;

/** Computes the metrics that depend only on the rollouts of an update. */
export function batchMetrics(batch: RolloutBatch): Pick<Metrics, Extract<Row, { readonly ofBatch: unknown }>['name']> {
  const values = METRICS.flatMap((row) => ('ofBatch' in row ? [[row.name, row.ofBatch(batch)] as const] : []));
  return Object.fromEntries(values) as ReturnType<typeof batchMetrics>;
}

/** Names of the metrics with one number per update. */
export type NumberMetric = Extract<Row, { readonly kind: 'integer' | 'number' | 'nullable' }>['name'];

/** Names of the metrics that are tables of numbers by name. */
type TableMetric = Extract<Row, { readonly kind: 'numbers' | 'nullables' | 'sparse' }>['name'];

const BY_NAME: ReadonlyMap<string, MetricRow> = new Map(METRICS.map((row) => [row.name, row]));

/** Returns the row of a metric. */
export function metricRow(name: keyof Metrics): MetricRow {
  return BY_NAME.get(name) as MetricRow;
}

/** Returns the row of a metric by an unchecked name, or undefined if no metric has the name. */
export function findMetric(name: string): MetricRow | undefined {
  return BY_NAME.get(name);
}

/** Returns the rows of a group, in the order of the table. */
export function metricsOfGroup<Group extends MetricGroup>(group: Group): Extract<Row, { readonly group: Group }>[] {
  return METRICS.filter((row): row is Extract<Row, { readonly group: Group }> => row.group === group);
}

/** Metrics that are tables of numbers. */
export const TABLES: readonly (MetricRow & { readonly name: TableMetric })[] = METRICS.filter(
  (row): row is Extract<Row, { readonly name: TableMetric }> => 'column' in row,
);

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

/** Fields read from a file, before any check. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns true if a value is an object with fields, and not a list. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Formats a value for a message as JSON, cut to 40 characters. */
export function show(value: unknown): string {
  return value === undefined ? 'missing' : (JSON.stringify(value)?.slice(0, 40) ?? String(value));
}

/** Error for an invalid value of a metric. The message has the position of the value. */
export class MetricError extends Error {
  override readonly name = 'MetricError';
}

/** Function that returns the position of a value. It is called for errors only, because a long run has many values. */
type Position = () => string;

const READERS: Readonly<Record<MetricKind, (value: unknown, position: Position) => unknown>> = {
  text: readText,
  integer: readNumber,
  number: readNumber,
  nullable: readNumber,
  numbers: readNumbers,
  nullables: readNumbers,
  sparse: (value, position) => (value === null ? null : readNumbers(value, position)),
};

const ROWS = METRICS.map(({ name, kind }: MetricRow) => ({ name, read: READERS[kind] }));

/**
 * Reads the metrics of one update from a file. Numbers that are not finite become null, as in JSON. Unknown fields are
 * retained.
 * @param entry update in the file
 * @param position position of the entry, for errors
 * @throws {MetricError} with the position and the value
 */
export function readMetrics(entry: Fields, position: Position): Metrics {
  const row: Record<string, unknown> = { ...entry };
  for (const { name, read } of ROWS) {
    const value = entry[name];
    // A long run has millions of numbers, and almost all are finite. This case needs no function for the position.
    if (read === readNumber && Number.isFinite(value)) continue;
    row[name] = read(value, () => `${position()}.${name}`);
  }
  return row as unknown as Metrics;
}

function readText(value: unknown, position: Position): string {
  if (typeof value !== 'string') throw new MetricError(`${position()} is ${show(value)}, not a text`);
  return value;
}

/** Reads a number or null. JSON has null for a number that is not finite, such as a mean over zero cases. */
function readNumber(value: unknown, position: Position): number | null {
  if (value !== null && typeof value !== 'number') {
    throw new MetricError(`${position()} is ${show(value)}, not a number`);
  }
  return Number.isFinite(value) ? value : null;
}

function readNumbers(value: unknown, position: Position): Readonly<Record<string, number | null>> {
  if (!isObject(value)) throw new MetricError(`${position()} is not an object`);
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, readNumber(part, () => `${position()}.${name}`)]),
  );
}
