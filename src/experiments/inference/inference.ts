import { mean, standardDeviation } from '../statistics.ts';
import { confidence } from './confidence.ts';
import { studentTails } from './student.ts';

/** Mean with its 95 % Student t interval. */
export interface Interval {
  readonly mean: number;
  /** Bounds of the 95 % interval; infinite for one value. */
  readonly low: number;
  readonly high: number;
}

/** Computes a mean and its 95 % Student t interval. */
export function meanInterval(values: readonly number[]): Interval {
  const middle = mean(values);
  const half = values.length < 2 ? Infinity : confidence(values);
  return { mean: middle, low: middle - half, high: middle + half };
}

/** Computes the p-value of a two-sided one-sample t test that the mean equals `bound`; 1 for one value. */
export function meanTest(values: readonly number[], bound: number): number {
  if (values.length < 2) return 1;
  const away = mean(values) - bound;
  const error = standardDeviation(values) / Math.sqrt(values.length);
  if (error === 0) return away === 0 ? 1 : 0;
  return studentTails(away / error, values.length - 1);
}

/** Adjusts the probabilities of a family of tests for multiple comparisons, in the same order (Holm 1979). */
export function holm(probabilities: readonly number[]): number[] {
  const order = probabilities.map((_, index) => index).sort((a, b) => probabilities[a] - probabilities[b]);
  const adjusted: number[] = Array(probabilities.length).fill(1);
  let maximum = 0;
  order.forEach((test, rank) => {
    maximum = Math.max(maximum, Math.min(1, (probabilities.length - rank) * probabilities[test]));
    adjusted[test] = maximum;
  });
  return adjusted;
}
