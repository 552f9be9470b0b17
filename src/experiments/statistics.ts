import { square } from '../numbers/powers.ts';

/** Small statistics over seeds and steps. Empty lists give NaN, which JSON writes as null and tables as a dash. */

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Sample standard deviation (n - 1); NaN for fewer than two values. */
export function standardDeviation(values: readonly number[]): number {
  if (values.length < 2) return NaN;
  const center = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + square(value - center), 0) / (values.length - 1));
}

/** A mean over runs with their sample deviation; null with one run. */
export interface SummaryStatistics {
  readonly mean: number;
  readonly deviation: number | null;
}

export function computeStatistics(values: readonly number[]): SummaryStatistics {
  return { mean: mean(values), deviation: values.length < 2 ? null : standardDeviation(values) };
}

/** Steps on either side of a step that a value "at" it averages over; a step is a batch of 128 rollouts. */
export const RADIUS = 4;
/** Steps at the end of a run that its final value averages over. */
export const LAST = 10;

/**
 * Returns the value of a curve at a step: the mean over its neighbours too, as far as there are any. Step 0 is not
 * averaged: its rollouts are the only ones sampled before any update.
 */
export function around(series: readonly number[], step: number): number {
  if (step >= series.length) return NaN;
  return step === 0 ? series[0] : mean(series.slice(Math.max(0, step - RADIUS), step + RADIUS + 1));
}

/** Returns the end value of a curve: the mean of its last steps. */
export function computeFinalMean(series: readonly number[]): number {
  return mean(series.slice(-LAST));
}

/** Mean over several curves at each step, as far as the shortest goes. */
export function meanSeries(curves: readonly (readonly number[])[]): number[] {
  const length = Math.min(...curves.map((curve) => curve.length));
  return Array.from({ length: curves.length === 0 ? 0 : length }, (_, step) =>
    mean(curves.map((curve) => curve[step])),
  );
}
