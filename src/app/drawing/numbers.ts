import type { Interval } from '../../training/data/truthReport.ts';

/** Absolute advantage from which the colour is fully saturated and the bar has its maximum length. */
export const FULL = 2;

/** Formats a number with its sign and, by default, two decimals: "+0.67", "−0.14", "0". Returns a dash for NaN. */
export function signed(value: number, decimals = 2): string {
  if (!Number.isFinite(value)) return '–';
  const text = Math.abs(value).toFixed(decimals);
  if (Number(text) === 0) return '0';
  return `${value < 0 ? '−' : '+'}${text}`;
}

/**
 * Formats a measured number, by default with two decimals, with no minus before zero: "−0.69", "0.00". Returns a dash for
 * null.
 */
export function digits(value: number | null, decimals = 2): string {
  if (value === null) return '–';
  return value
    .toFixed(decimals)
    .replace(/^-(?=[0.]*$)/, '')
    .replace('-', '−');
}

/** Formats a reward with at most three decimals, without plus sign or trailing zeros. Returns a dash for NaN. */
export function plain(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toFixed(3))).replace('-', '−') : '–';
}

/** Returns true if an advantage exceeds the range of its bar and shade. */
export function isCut(advantage: number): boolean {
  return Math.abs(advantage) > FULL;
}

/** Returns the strength of the shade of an advantage, -1 (less likely) to 1 (more likely). */
export function shade(advantage: number): number {
  return Math.max(-1, Math.min(1, advantage / FULL)) || 0;
}

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

/** Formats a number with two decimals and without a leading zero: ".35", "−.02", "1.00". Returns a dash for NaN. */
export function two(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const text = Math.abs(value).toFixed(2).replace(/^0\./, '.');
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** Formats a number like `two`, with a plus sign for positive values. */
export function signedTwo(value: number): string {
  const text = two(value);
  return value > 0 && Number(text) !== 0 ? `+${text}` : text;
}

/** Formats a number with its interval, if the interval is finite: ".35 [.32, .39]". */
export function correlationText({ value, low, high }: Interval, withSign = false): string {
  const number = withSign ? signedTwo(value) : two(value);
  return Number.isFinite(low) && Number.isFinite(high) ? `${number} [${two(low)}, ${two(high)}]` : number;
}

/** Formats a share (0 to 1) as a percentage. Returns a dash if the value is not finite. */
export function share(value: number): string {
  return Number.isFinite(value) ? `${(100 * value).toFixed(0)} %` : '–';
}
