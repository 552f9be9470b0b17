import { shade } from '../group/groupNumbers.ts';

/** Advantages below this size are rounding errors of sums that are 0. */
const ZERO = 1e-6;

/** Returns the class of an element that has an advantage: `pruned` if the advantage is NaN. */
export function shadeClass(advantage: number): 'more' | 'less' | 'even' | 'pruned' {
  if (Number.isNaN(advantage)) return 'pruned';
  if (Math.abs(advantage) < ZERO) return 'even';
  return advantage > 0 ? 'more' : 'less';
}

/** Returns the style with the strength of the colour. */
export function shadeStyle(advantage: number): string {
  return `--share: ${Math.abs(shade(advantage))}`;
}
