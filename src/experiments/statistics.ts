import { square } from '../numbers/powers.ts';

/** Statistics over seeds and steps. An empty list gives NaN, which is null in JSON and a dash in tables. */

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Sample standard deviation (n - 1); NaN for fewer than two values. */
export function standardDeviation(values: readonly number[]): number {
  if (values.length < 2) return NaN;
  const center = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + square(value - center), 0) / (values.length - 1));
}

/** Mean over runs, and their sample standard deviation; null for one run. */
export interface SummaryStatistics {
  readonly mean: number;
  readonly deviation: number | null;
}

export function computeStatistics(values: readonly number[]): SummaryStatistics {
  return { mean: mean(values), deviation: values.length < 2 ? null : standardDeviation(values) };
}

/** Number of steps before and after a step that its average includes. A step is a batch of 128 rollouts. */
export const RADIUS = 4;
/** Number of steps at the end of a run that its final value averages. */
export const LAST = 10;

/**
 * Returns the mean of a curve over a step and its neighbours (RADIUS). Step 0 is not averaged, because only its
 * rollouts are sampled before any update.
 */
export function around(series: readonly number[], step: number): number {
  if (step >= series.length) return NaN;
  return step === 0 ? series[0] : mean(series.slice(Math.max(0, step - RADIUS), step + RADIUS + 1));
}

/** Returns the mean of the last steps of a curve. */
export function computeFinalMean(series: readonly number[]): number {
  return mean(series.slice(-LAST));
}

/** Returns the mean over several curves at each step, up to the length of the shortest curve. */
export function meanSeries(curves: readonly (readonly number[])[]): number[] {
  const length = Math.min(...curves.map((curve) => curve.length));
  return Array.from({ length: curves.length === 0 ? 0 : length }, (_, step) =>
    mean(curves.map((curve) => curve[step])),
  );
}
