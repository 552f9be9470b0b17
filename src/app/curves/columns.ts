import type { Metrics } from '../../training/data/protocol.ts';
import { readerOf, type SeriesDefinition, type SeriesKey } from './series.ts';

/** Number of an update for people, from 1: the number of updates that the run then has done. */
export const updateOf = ({ step }: Pick<Metrics, 'step'>) => step + 1;

/** Columns of one growing list of metrics. */
interface Columns {
  length: number;
  readonly values: Map<SeriesKey | 'update', Float64Array>;
}

const known = new WeakMap<readonly Metrics[], Columns>();

/**
 * Returns one metric of all steps as an array of numbers, NaN where it is missing. A chart reads thousands of values
 * several times a second, so the columns grow with the list and are not created again.
 * `update` has the numbers of the updates, from 1.
 * @param metrics a list that only ever grows at its end; a changed one must be another list
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

/** The last value of a line; NaN for none. */
export function readLastValue(
  metrics: readonly Metrics[],
  { key, sparse, lasting = false }: Pick<SeriesDefinition, 'key' | 'sparse' | 'lasting'>,
): number {
  return readValueAt(metrics, { key, sparse: sparse || lasting }, metrics.length - 1);
}

/**
 * Returns the value of a line at a step. For a line that is measured only periodically, returns the last value up to
 * that step.
 * @param index into `metrics` @returns NaN for none
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
