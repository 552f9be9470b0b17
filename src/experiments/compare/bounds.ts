import type { Bounds } from '../../environments/claim.ts';

/** Whether a number is within bounds; NaN is not. */
export function inside(
  { above = -Infinity, below = Infinity, from = -Infinity, to = Infinity }: Bounds,
  value: number,
) {
  return value > above && value < below && value >= from && value <= to;
}
