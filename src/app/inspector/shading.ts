import { shade } from '../group/groupNumbers.ts';

/** Magnitude below which an advantage counts as 0. Smaller values are rounding errors. */
const ZERO = 1e-6;

/** Returns the CSS class for an advantage. The class is `pruned` if the advantage is NaN. */
export function shadeClass(advantage: number): 'more' | 'less' | 'even' | 'pruned' {
  if (Number.isNaN(advantage)) return 'pruned';
  if (Math.abs(advantage) < ZERO) return 'even';
  return advantage > 0 ? 'more' : 'less';
}

/** Returns the style that sets the strength of the colour, `--share`, for an advantage. */
export function shadeStyle(advantage: number): string {
  return `--share: ${Math.abs(shade(advantage))}`;
}
