import type { Interval } from '../../training/data/truthReport.ts';

/** Two digits, a true minus, no zero before the point: ".35", "−.02", "1.00"; a dash for no number. */
export function two(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const text = Math.abs(value).toFixed(2).replace(/^0\./, '.');
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** The same with a plus. */
export function signedTwo(value: number): string {
  const text = two(value);
  return value > 0 && Number(text) !== 0 ? `+${text}` : text;
}

/** A number with its interval, where it has one: ".35 [.32, .39]". */
export function correlationText({ value, low, high }: Interval, withSign = false): string {
  const number = withSign ? signedTwo(value) : two(value);
  return Number.isFinite(low) && Number.isFinite(high) ? `${number} [${two(low)}, ${two(high)}]` : number;
}

/** Formats a share in per cent; a dash if the value is not finite. */
export function share(value: number): string {
  return Number.isFinite(value) ? `${(100 * value).toFixed(0)} %` : '–';
}
