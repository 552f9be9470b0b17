import type { Metrics } from '../../training/data/protocol.ts';
import { readerOf, type SeriesDefinition, type SeriesKey } from './series.ts';

/** Returns the displayed number of an update, from 1. It equals the number of completed updates. */
export const updateOf = ({ step }: Pick<Metrics, 'step'>) => step + 1;

/** Cached columns of one growing list of metrics. The arrays have spare capacity. */
interface Columns {
  length: number;
  readonly values: Map<SeriesKey | 'update', Float64Array>;
}

const known = new WeakMap<readonly Metrics[], Columns>();

/**
 * Returns one metric of all steps as an array, with NaN for missing values. Charts read thousands of values several
 * times per second, so the columns are cached and grow with the list.
 * @param metrics list that grows only at its end; any other change requires a new list
 * @param key metric, or `update` for the numbers of the updates, from 1
 */
export function columnOf(metrics: readonly Metrics[], key: SeriesKey | 'update'): Float64Array {
  const columns = known.get(metrics) ?? { length: 0, values: new Map() };
  known.set(metrics, columns);
  if (columns.length !== metrics.length) grow(columns, metrics);
  let column = columns.values.get(key);
  if (!column) {
    column = new Float64Array(capacityFor(metrics.length));
    fill(column, metrics, key, 0);
    columns.values.set(key, column);
  }
  return column.subarray(0, metrics.length);
}

/** Returns the last value of a line, or NaN if it is missing. */
export function readLastValue(
  metrics: readonly Metrics[],
  { key, sparse, lasting = false }: Pick<SeriesDefinition, 'key' | 'sparse' | 'lasting'>,
): number {
  return readValueAt(metrics, { key, sparse: sparse || lasting }, metrics.length - 1);
}

/**
 * Returns the value of a line at a step, or NaN if it is missing. For a sparse line, returns the last value up to that
 * step.
 * @param index index of the step in `metrics`
 */
export function readValueAt(
  metrics: readonly Metrics[],
  { key, sparse }: Pick<SeriesDefinition, 'key' | 'sparse'>,
  index: number,
): number {
  const values = columnOf(metrics, key);
  let at = Math.min(index, values.length - 1);
  while (sparse && at > 0 && Number.isNaN(values[at])) at -= 1;
  return values[at] ?? Number.NaN;
}

function grow(columns: Columns, metrics: readonly Metrics[]): void {
  for (const [key, column] of columns.values) {
    let target = column;
    if (column.length < metrics.length) {
      target = new Float64Array(capacityFor(metrics.length));
      target.set(column);
      columns.values.set(key, target);
    }
    fill(target, metrics, key, columns.length);
  }
  columns.length = metrics.length;
}

function fill(column: Float64Array, metrics: readonly Metrics[], key: SeriesKey | 'update', from: number): void {
  const read = key === 'update' ? updateOf : readerOf(key);
  for (let index = from; index < metrics.length; index += 1) column[index] = read(metrics[index] as Metrics);
}

function capacityFor(length: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(256, length)));
}
