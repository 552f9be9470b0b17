import { TABLES } from '../metrics/metricTable.ts';
import { readPresentMetrics } from '../metrics/readMetrics.ts';
import type { Metrics } from '../training/data/protocol.ts';

/** One metric over all updates: its values, or, where few differ from the one before, [count, value, count, value, ...]. */
export type Column = { readonly values: readonly unknown[] } | { readonly runs: readonly unknown[] };

/** Metrics by name, `facts.solved` for those that stand in a table of their own. */
export type MetricColumns = Readonly<Record<string, Column>>;

/** Tables of numbers that are measured now and then. */
const SPARSE: ReadonlySet<string> = new Set(TABLES.filter(({ kind }) => kind === 'sparse').map(({ name }) => name));

/** The tables of numbers of a file that has no columns of them. */
const WITHOUT_COLUMNS = Object.fromEntries(TABLES.map(({ name }) => [name, SPARSE.has(name) ? null : {}]));

/** Turns rows into columns. */
export function columnsOf(metrics: readonly Metrics[]): MetricColumns {
  const rows = metrics.map(flat);
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return Object.fromEntries(names.map((name) => [name, columnOf(rows.map((row) => row[name] ?? null))]));
}

/**
 * The rows again. What an earlier version did not record stays out.
 * @throws {RangeError} where a column has not as many values as there are updates
 * @throws {MetricError} where a value is no value of its metric
 */
export function rowsOf(columns: MetricColumns, updates: number): Metrics[] {
  const rows = Array.from({ length: updates }, (): Record<string, unknown> => ({ ...WITHOUT_COLUMNS }));
  for (const [name, column] of Object.entries(columns)) {
    const values = valuesOf(column);
    if (values.length !== updates) throw new RangeError(`${name}: ${values.length} values for ${updates} updates`);
    const [table, field] = name.split('.') as [string, string?];
    rows.forEach((row, index) => {
      if (field === undefined) row[name] = values[index];
      // What is measured now and then is null in between.
      else if (!SPARSE.has(table) || values[index] !== null)
        row[table] = { ...(row[table] as object | null), [field]: values[index] };
    });
  }
  return rows.map((row, index) => readPresentMetrics(row, () => `metrics[${index}]`));
}

function flat(row: Metrics): Record<string, unknown> {
  const own = Object.entries(row).filter(([name]) => !Object.hasOwn(WITHOUT_COLUMNS, name));
  const tables = TABLES.flatMap(({ name: table }) =>
    Object.entries(row[table] ?? {}).map(([field, value]) => [`${table}.${field}`, value] as const),
  );
  return Object.fromEntries([...own, ...tables]);
}

function columnOf(values: readonly unknown[]): Column {
  const runs: unknown[] = [];
  for (const [index, value] of values.entries()) {
    if (index > 0 && value === values[index - 1]) runs[runs.length - 2] = (runs.at(-2) as number) + 1;
    else runs.push(1, value);
  }
  return runs.length < values.length ? { runs } : { values };
}

function valuesOf(column: Column): readonly unknown[] {
  if ('values' in column) return column.values;
  const { runs } = column;
  return runs.flatMap((count, index) => (index % 2 === 0 ? new Array(count as number).fill(runs[index + 1]) : []));
}
