import { standardDeviation } from '../statistics.ts';
import { studentBound } from './student.ts';

/** Half the width of the 95 % confidence interval of a mean by Student's t; NaN for fewer than two values. */
export function confidence(values: readonly number[]): number {
  if (values.length < 2) return NaN;
  return (studentBound(0.05, values.length - 1) * standardDeviation(values)) / Math.sqrt(values.length);
}
