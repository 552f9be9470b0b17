import type { Metrics } from '../metrics/metricTable.ts';
import type { Expectation } from './lesson.ts';

/**
 * Returns the number of values over which a share is averaged before it is compared with a bound, if an expectation
 * does not specify it. The number is five updates, because one batch alone is noise, or two measurements of a figure on
 * new questions.
 */
export function usualWindow(line: string): number {
  return line.startsWith('heldOut:') ? 2 : 5;
}

/** Result of a run for an expectation. */
export interface Finding {
  /** The mean over the last updates up to the bound's step; NaN where nothing was measured. */
  readonly value: number;
  readonly met: boolean;
}

/** A line's value of an update; NaN where it was not measured. */
export function valueIn(row: Metrics, line: string): number {
  const [kind, name = ''] = line.split(':');
  const read = kind === 'heldOut' ? row.heldOut?.[name] : kind === 'fact' ? row.facts?.[name] : row[line as 'toolUse'];
  return typeof read === 'number' ? read : Number.NaN;
}

/** The mean of a line over the last measured updates before a step; NaN for none. */
export function meanBefore(
  metrics: readonly Metrics[],
  line: string,
  step: number,
  over: number = usualWindow(line),
): number {
  const measured = metrics.filter((row) => row.step < step).map((row) => valueIn(row, line));
  const last = measured.filter(Number.isFinite).slice(-over);
  return last.length === 0 ? Number.NaN : last.reduce((sum, value) => sum + value, 0) / last.length;
}

/**
 * Holds a run against what its lesson says that it shows.
 * @param metrics of the run that the expectation names
 */
export function findingOf({ line, is, value: bound, by, over }: Expectation, metrics: readonly Metrics[]): Finding {
  const value = meanBefore(metrics, line, by, over);
  return { value, met: is === 'below' ? value < bound : value > bound };
}
