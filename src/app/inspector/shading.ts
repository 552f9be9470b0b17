import { shade } from '../group/groupNumbers.ts';

/** Advantages below this size are rounding errors of sums that are 0. */
const ZERO = 1e-6;

/** The class of what has an advantage: `pruned` where there is none. */
export function shadeClass(advantage: number): 'more' | 'less' | 'even' | 'pruned' {
  if (Number.isNaN(advantage)) return 'pruned';
  if (Math.abs(advantage) < ZERO) return 'even';
  return advantage > 0 ? 'more' : 'less';
}

/** How strong its colour is. */
export function shadeStyle(advantage: number): string {
  return `--share: ${Math.abs(shade(advantage))}`;
}
