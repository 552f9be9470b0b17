import type { Bounds } from '../../environments/claim.ts';

/** Returns true if a number is within bounds. NaN is not within bounds. */
export function inside(
  { above = -Infinity, below = Infinity, from = -Infinity, to = Infinity }: Bounds,
  value: number,
) {
  return value > above && value < below && value >= from && value <= to;
}
