import { log } from '../../numbers/exponential.ts';
import type { ClaimResult, ExperimentResult, PairedResult } from './claimResult.ts';
import {
  effectText,
  formatConclusions,
  primaryOutcome,
  type ReaderState,
  readerState,
  seedsText,
  signed,
  stateText,
} from './conclusionText.ts';
import { claimedBound } from './judge.ts';

// Plot of a test for the page and the documents: seeds, their mean with its interval, and the margin. All rows of a
// figure share one axis. It is in multiples of the margin and compressed away from 0, so that the band of the margin is
// the same in all rows.

/** Data of a plotted test. */
export interface PlotRow {
  readonly differences: readonly { readonly seed: number; readonly difference: number }[];
  readonly mean: number;
  /** 95 % interval; null for a single seed. */
  readonly low: number | null;
  readonly high: number | null;
  readonly margin: number;
  /** Value that the interval must exceed. It is negative if the claim is that no effect is lost, and 0 for binary outcomes. */
  readonly bound: number;
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
    bound: claimedBound(test),
    ...(unit ? { unit } : {}),
  };
}

/** Sorts tests by decreasing effect: the mean in multiples of the margin. */
export function inOrder<T extends { readonly row: PlotRow }>(rows: readonly T[]): readonly T[] {
  return [...rows].sort((a, b) => inMargins(b.row)(b.row.mean) - inMargins(a.row)(a.row.mean));
}

/** Returns a function that scales values by the margin, or by the largest absolute value if the margin is 0. */
function inMargins({ margin, differences, low, high }: PlotRow): (value: number) => number {
  const all = [...differences.map(({ difference }) => difference), low ?? 0, high ?? 0];
  const unit = margin > 0 ? margin : Math.max(...all.map(Math.abs)) || 1;
  return (value) => value / unit;
}

/** Returns the limit of a figure's axis: the largest absolute value in multiples of its margin. */
export function plotExtent(rows: readonly PlotRow[]): number {
  const all = rows.flatMap((row) =>
    [...row.differences.map(({ difference }) => difference), row.low ?? 0, row.high ?? 0].map(inMargins(row)),
  );
  return Math.max(3, ...all.map(Math.abs)) * 1.05;
}

/**
 * Computes asinh: linear near 0 and logarithmic further away. The result has the same bits in all JavaScript engines.
 */
const asinh = (value: number) => Math.sign(value) * log(Math.abs(value) + Math.sqrt(value * value + 1));

const at = (multiple: number, extent: number) => `${(50 + (47 * asinh(multiple)) / asinh(extent)).toFixed(2)}%`;

/** Height of a row [px]. */
export const PLOT_HEIGHT = 32;

/**
 * Returns the content of the SVG of a row, for any width. Colours are those of the page, with fallbacks that are
 * legible on light and dark backgrounds.
 */
export function plotSvg(row: PlotRow, extent: number): string {
  const { differences, mean, low, high, margin, unit } = row;
  const multiple = inMargins(row);
  const x = (value: number) => at(multiple(value), extent);
  const line = (from: string, to: string, y1: number, y2: number, style: string) =>
    `<line x1="${from}" x2="${to}" y1="${y1}" y2="${y2}" style="${style}"/>`;
  const faint = 'stroke: var(--ink-3, #7a828a); stroke-opacity: 0.5';
  const strong = 'stroke: var(--ink, #7a828a); stroke-width: 2.5';
  // The axis is compressed, so the width of the band must be computed from both ends.
  const [left, right] = [x(-margin), x(margin)];
  const width = (Number.parseFloat(right) - Number.parseFloat(left)).toFixed(2);
  const bound = x(row.bound);
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

/** Returns the axis labels below the rows of a figure. */
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

/** Caption of a figure, also for screen readers. */
export const PLOT_CAPTION =
  'Dots are seeds, the bar is the 95 % interval of their mean, and the dashed line is what the interval has to pass. The axis is in multiples of the margin: inside the band an effect is too small to matter, and the right side is the claimed one. A test with margin 0 has no band; its axis is in multiples of its largest difference.';

/** Returns the caption of the table of an experiment. */
export function tableCaption({ rows }: NonNullable<ExperimentResult['table']>): string {
  const deviation = rows.some((row) => row.some((cell) => cell.includes('±')))
    ? ' ± the sample standard deviation'
    : '';
  return `Cells are means over the seeds${deviation}. The arms are paired by seed, so the tests have the differences of arms.`;
}

/** Summary of a claim for a list, without its experiments. */
export interface ClaimSummary {
  readonly state: ReaderState;
  readonly text: string;
  /** Effect of the primary test; empty if the test has no runs. */
  readonly effect: string;
  /** Number of tests with each conclusion. */
  readonly tests: string;
  /** Finished and planned seeds of the primary test, and number of other tests without all their seeds. */
  readonly seeds: string;
  /** Plot of the primary test; absent if the test does not compare values per seed. */
  readonly row?: PlotRow;
  /** Number of missing runs, and their estimated duration in one process [h]. */
  readonly missing: number;
  readonly hours: number;
}

export function summaryOf(result: ClaimResult): ClaimSummary {
  const primary = primaryOutcome(result);
  const sum = (of: 'missing' | 'hours') => result.experiments.reduce((total, experiment) => total + experiment[of], 0);
  return {
    ...{ state: readerState(result), text: stateText(result), seeds: seedsText(result) },
    ...{ effect: primary ? effectText(primary) : '', tests: formatConclusions(result) },
    ...(primary?.kind === 'paired' ? { row: shortened(primary) } : {}),
    ...{ missing: sum('missing'), hours: sum('hours') },
  };
}

/** Rounds numbers to the precision that a plot shows, which shortens the list. */
function shortened(primary: PairedResult): PlotRow {
  return JSON.parse(
    JSON.stringify(plotRow(primary), (_, value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value)),
  );
}
