import { confidence } from '../../experiments/inference/inference.ts';
import { mean } from '../../experiments/statistics.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import type { ChartDefinition } from '../curves/chartDefinitions.ts';
import { readerOf, type SeriesDefinition, type SeriesKey } from '../curves/series.ts';
import type { SeedRun } from '../runs/seedSeries.ts';
import { laneStrings } from '../strings/runStrings.ts';

const MEAN = 'fact:mean' as const;
/** Minimum number of seeds for the interval. With two seeds it is wider than the chart. */
const LEAST = 3;
const seedKey = (seed: number): SeriesKey => `fact:seed${seed}`;

/**
 * Returns a chart of one line of a series of seeds: a thin line for each seed and a bold line for the mean over the
 * completed seeds. With at least three completed seeds, it includes the 95 % interval of the mean by Student's t.
 * @param line line of the chart
 */
export function seedCurves(
  runs: readonly SeedRun[],
  chart: ChartDefinition,
  line: SeriesDefinition,
): { readonly chart: ChartDefinition; readonly metrics: readonly Metrics[] } {
  const texts = laneStrings.seeds.chart;
  const { id, series: _, when: __, ...axis } = chart;
  const { sparse, colour } = line;
  const done = runs.filter((run) => run.done).length;
  const style = { colour, dash: '', sparse, lasting: true } as const;
  const seeds = runs.map(({ seed }): SeriesDefinition => {
    const label = laneStrings.seed(seed);
    return { key: seedKey(seed), label, short: label, ...style, thin: true };
  });
  const average: SeriesDefinition = { key: MEAN, label: texts.mean(done), short: texts.short, ...style };
  return {
    chart: {
      ...axis,
      ...{ id: `${id}-seeds`, title: texts.title(line.label), caption: texts.caption },
      series: done > 0 ? [...seeds, average] : seeds,
      band: { low: 'fact:low', high: 'fact:high', colour },
    },
    metrics: rowsOf(runs, line, axis.bounds),
  };
}

function rowsOf(
  runs: readonly SeedRun[],
  { key }: SeriesDefinition,
  [least, maximum]: readonly [number, number] = [-Infinity, Infinity],
): readonly Metrics[] {
  const read = readerOf(key);
  const steps = [...new Set(runs.flatMap(({ metrics }) => metrics.map(({ step }) => step)))].sort((a, b) => a - b);
  const values = runs.map(({ metrics }) => new Map(metrics.map((row) => [row.step, read(row)])));
  return steps.map((step) => {
    const seedValues = runs.map(({ seed }, index) => [`seed${seed}`, values[index]?.get(step) ?? Number.NaN] as const);
    const done = runs
      .flatMap((run, index) => (run.done ? (values[index]?.get(step) ?? []) : []))
      .filter(Number.isFinite);
    const center = done.length > 0 ? mean(done) : Number.NaN;
    const half = done.length >= LEAST ? confidence(done) : Number.NaN;
    const facts = {
      ...Object.fromEntries(seedValues),
      mean: center,
      low: Math.max(least, center - half),
      high: Math.min(maximum, center + half),
    };
    return { step, facts } as unknown as Metrics;
  });
}
