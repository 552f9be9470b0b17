import { extent } from 'd3-array';
import type { Metrics, RunEvent } from '../../training/protocol.ts';
import { strings } from '../strings.ts';
import { ruleTitle } from '../tables.ts';
import { columnOf } from './columns.ts';
import type { ChartDefinition } from './definitions.ts';

/** Ends of the step axis: it grows in strides, so that the picture stands still most of the time. */
const STRIDES = [30, 60, 120, 180, 240, 300, 400, 500, 600, 800, 1000];

export function stepDomain(lastStep: number): [number, number] {
  const stride = STRIDES.find((candidate) => lastStep <= candidate);
  return [0, stride ?? Math.ceil(lastStep / 500) * 500];
}

/** Ends of the value axis: the definition's, else from zero or below to the largest value seen. */
export function valueDomain(chart: ChartDefinition, metrics: readonly Metrics[]): [number, number] {
  if (chart.bounds) return [...chart.bounds];
  let low = 0;
  let high = chart.least ?? 0;
  for (const { key } of chart.series) {
    const [smallest, largest] = extent(columnOf(metrics, key));
    low = Math.min(low, smallest ?? 0);
    high = Math.max(high, largest ?? 0);
  }
  // A value that is negative by rounding alone must not open a negative half.
  if (low > -high / 50) low = 0;
  return high > low ? [low, high] : [0, 1];
}

/** A vertical line in a chart. */
export interface Mark {
  readonly step: number;
  readonly label: string;
  /** For narrow charts. */
  readonly short: string;
  /** The whole story, for a tooltip and the table. */
  readonly text: string;
  readonly rule: boolean;
}

/** What events look like in a chart: a change of the rule first of all, other changes by their parameter's name. */
export function marksOf(events: readonly RunEvent[]): Mark[] {
  const marks: Mark[] = [];
  for (const { step, changes, text } of events) {
    const { rule, ...others } = changes;
    const [name, value] = Object.entries(others)[0] ?? [];
    const { ruleMark, ruleMarkShort, valueMark } = strings.charts;
    if (rule !== undefined) {
      const title = ruleTitle(String(rule));
      marks.push({ step, label: ruleMark(title), short: ruleMarkShort(title), text, rule: true });
    } else if (name !== undefined) {
      marks.push({ step, label: valueMark(name, String(value)), short: '', text, rule: false });
    } else {
      marks.push({ step, label: '', short: '', text, rule: false });
    }
  }
  return marks;
}

/**
 * Rows for labels so that those in one row do not touch.
 * @param positions left ends, rising
 * @returns row of each label, 0 first; -1 where no row has room
 */
export function labelRows(positions: readonly number[], widths: readonly number[], rows: number): number[] {
  const ends = new Array<number>(rows).fill(Number.NEGATIVE_INFINITY);
  return positions.map((left, index) => {
    const row = ends.findIndex((end) => end + 6 <= left);
    if (row >= 0) ends[row] = left + (widths[index] ?? 0);
    return row;
  });
}

/**
 * Moves labels apart along one axis.
 * @param wanted centres, in any order
 * @returns centres at least `gap` apart, within `low`..`high` where they fit
 */
export function spreadLabels(wanted: readonly number[], gap: number, low: number, high: number): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const placed = [...wanted];
  let least = low;
  for (const index of order) {
    placed[index] = Math.max(placed[index] ?? 0, least);
    least = (placed[index] ?? 0) + gap;
  }
  let most = high;
  for (const index of order.reverse()) {
    placed[index] = Math.min(placed[index] ?? 0, most);
    most = (placed[index] ?? 0) - gap;
  }
  return placed;
}
