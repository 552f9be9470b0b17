import { standardDeviation } from '../statistics.ts';
import { studentBound } from './student.ts';

/** Computes the half-width of the 95 % Student t confidence interval of a mean; NaN for fewer than two values. */
export function confidence(values: readonly number[]): number {
  if (values.length < 2) return NaN;
  return (studentBound(0.05, values.length - 1) * standardDeviation(values)) / Math.sqrt(values.length);
}
