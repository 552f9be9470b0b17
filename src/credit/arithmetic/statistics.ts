import { square } from '../../numbers/powers.ts';

/** Returns the sum, added in the order of the list; 0 for an empty list. */
export function sum(x: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < x.length; i++) total += x[i];
  return total;
}

/** Returns the mean; 0 for an empty list. */
export function mean(x: ArrayLike<number>): number {
  return sum(x) / Math.max(x.length, 1);
}

/**
 * Returns the standard deviation around the mean; 0 for an empty list.
 * @param ddof number subtracted from the number of values: 0 population, 1 sample of at least two values
 */
export function standardDeviation(x: ArrayLike<number>, ddof: 0 | 1 = 0): number {
  const center = mean(x);
  let squares = 0;
  for (let i = 0; i < x.length; i++) squares += square(x[i] - center);
  return Math.sqrt(squares / Math.max(x.length - ddof, 1));
}
