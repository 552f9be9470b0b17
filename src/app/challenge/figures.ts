import type { Interval } from '../../training/data/truthReport.ts';
import { challengeStrings as texts } from '../strings/challengeStrings.ts';
import { two } from '../truth/truthNumbers.ts';

/** `.46 [.31, .67]`. */
export function rangeText({ value, low, high }: Interval): string {
  return Number.isNaN(value) ? texts.noSpread : `${two(value)} [${two(low)}, ${two(high)}]`;
}

/** `8 % [2, 14]`. */
export function shareText({ value, low, high }: Interval): string {
  const percent = (one: number) => (Number.isFinite(one) ? (100 * one).toFixed(0) : '–');
  return `${percent(value)} % [${percent(low)}, ${percent(high)}]`;
}
