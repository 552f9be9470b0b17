import { square } from '../../numbers/powers.ts';

/** The sum in the order given, from 0; 0 for no numbers. */
export function sum(x: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < x.length; i++) total += x[i];
  return total;
}

/** 0 for no numbers. */
export function mean(x: ArrayLike<number>): number {
  return sum(x) / Math.max(x.length, 1);
}

/**
 * Around the mean; 0 for no numbers.
 * @param ddof subtracted from how many there are: 0 population, 1 sample, which needs two
 */
export function standardDeviation(x: ArrayLike<number>, ddof: 0 | 1 = 0): number {
  const center = mean(x);
  let squares = 0;
  for (let i = 0; i < x.length; i++) squares += square(x[i] - center);
  return Math.sqrt(squares / Math.max(x.length - ddof, 1));
}
