import type { Interval } from '../../training/data/truthReport.ts';

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
