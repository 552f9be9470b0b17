import { extent } from 'd3-array';
import type { Metrics } from '../../training/data/protocol.ts';
import type { ChartDefinition } from './chartDefinitions.ts';
import { columnOf } from './columns.ts';

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
