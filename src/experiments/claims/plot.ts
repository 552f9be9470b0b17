import { log } from '../../numbers/logarithm.ts';
import type { PairedResult } from './claimResult.ts';
import { signed } from './conclusionText.ts';

// The picture of a test, in the page and in the documents: seeds, their mean with its interval, and the margin. All rows of a figure
// have one axis, in multiples of the margin and compressed away from 0, so that its band is the same in all of them.

/** Data of a test that is drawn. */
export interface PlotRow {
  readonly differences: readonly { readonly seed: number; readonly difference: number }[];
  readonly mean: number;
  /** 95 % interval; null where one seed has none. */
  readonly low: number | null;
  readonly high: number | null;
  readonly margin: number;
  /** The claim is that nothing is lost: the interval has to lie above minus the margin. */
  readonly preserves: boolean;
  readonly unit?: string;
}

export function plotRow({ test, differences, judgement }: PairedResult): PlotRow {
  const { mean, low, high } = judgement;
  const { margin, unit } = test;
  const finite = (value: number | null) => (value !== null && Number.isFinite(value) ? value : null);
  return {
    differences,
    mean,
    low: finite(low),
    high: finite(high),
    margin,
    preserves: test.hypothesis === 'keeps',
    ...(unit ? { unit } : {}),
  };
}

/** Test of largest effect first: means in multiples of their margins. */
export function inOrder<T extends { readonly row: PlotRow }>(rows: readonly T[]): readonly T[] {
  return [...rows].sort((a, b) => inMargins(b.row)(b.row.mean) - inMargins(a.row)(a.row.mean));
}

/** A test with the margin 0 has none to be measured by: its largest number takes the place. */
function inMargins({ margin, differences, low, high }: PlotRow): (value: number) => number {
  const all = [...differences.map(({ difference }) => difference), low ?? 0, high ?? 0];
  const unit = margin > 0 ? margin : Math.max(...all.map(Math.abs)) || 1;
  return (value) => value / unit;
}

/** The largest number of a figure, in multiples of its margin: what its axis reaches. */
export function plotExtent(rows: readonly PlotRow[]): number {
  const all = rows.flatMap((row) =>
    [...row.differences.map(({ difference }) => difference), row.low ?? 0, row.high ?? 0].map(inMargins(row)),
  );
  return Math.max(3, ...all.map(Math.abs)) * 1.05;
}

/** Linear near 0, a logarithm further away, and the same bits in every engine. */
const asinh = (value: number) => Math.sign(value) * log(Math.abs(value) + Math.sqrt(value * value + 1));

const at = (multiple: number, extent: number) => `${(50 + (47 * asinh(multiple)) / asinh(extent)).toFixed(2)}%`;

/** Height of a row [px]. */
export const PLOT_HEIGHT = 32;

/** The inside of an SVG of any width and the height of a row. Colours are those of the page, and legible on light and dark elsewhere. */
export function plotSvg(row: PlotRow, extent: number): string {
  const { differences, mean, low, high, margin, preserves, unit } = row;
  const multiple = inMargins(row);
  const x = (value: number) => at(multiple(value), extent);
  const line = (from: string, to: string, y1: number, y2: number, style: string) =>
    `<line x1="${from}" x2="${to}" y1="${y1}" y2="${y2}" style="${style}"/>`;
  const faint = 'stroke: var(--ink-3, #7a828a); stroke-opacity: 0.5';
  const strong = 'stroke: var(--ink, #7a828a); stroke-width: 2.5';
  // Twice as far on a compressed axis is not twice the width, so the band has its two ends.
  const [left, right] = [x(-margin), x(margin)];
  const width = (Number.parseFloat(right) - Number.parseFloat(left)).toFixed(2);
  const bound = preserves ? left : right;
  return [
    `<rect x="${left}" width="${width}%" y="2" height="28" style="fill: var(--ink-3, #7a828a); fill-opacity: 0.18"/>`,
    line('3%', '97%', 13, 13, faint),
    line('50%', '50%', 2, 30, faint),
    line(bound, bound, 2, 30, 'stroke: var(--series-2, #c2701c); stroke-width: 1.5; stroke-dasharray: 3 2'),
    ...differences.map(
      ({ seed, difference }) =>
        `<circle cx="${x(difference)}" cy="13" r="3.5" style="fill: var(--series-1, #3b82d6); fill-opacity: 0.75"><title>seed ${seed}: ${signed(difference, unit)}</title></circle>`,
    ),
    ...(low !== null && high !== null ? [line(x(low), x(high), 24, 24, strong)] : []),
    line(x(mean), x(mean), 20, 28, strong),
  ].join('\n');
}

/** The axis below the rows of a figure. */
export function axisSvg(extent: number): string {
  const ticks = [1, 10, 100].filter((tick) => tick <= extent).flatMap((tick) => [-tick, tick]);
  const label = (multiple: number) => `${multiple}`.replace('-', '−');
  return [0, ...ticks]
    .map(
      (tick) =>
        `<text x="${at(tick, extent)}" y="11" text-anchor="middle" style="fill: var(--ink-2, #7a828a); font-size: 11px">${label(tick)}</text>`,
    )
    .join('\n');
}

/** Below a figure, and for readers of its text. */
export const PLOT_CAPTION =
  'Dots are seeds, the bar is the 95 % interval of their mean, and the dashed line is what the interval has to pass. The axis is in multiples of the margin: inside the band an effect is too small to matter, and the right side is the claimed one.';
