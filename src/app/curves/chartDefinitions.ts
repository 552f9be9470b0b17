import { format } from 'd3-format';
import type { EnvironmentChart } from '../../environments/chart.ts';
import { ENVIRONMENT_LIST } from '../../environments/registry.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { RunModel } from '../session/runModel.ts';
import { chartStrings } from '../strings/chartStrings.ts';
import {
  chooseSeriesStyle,
  type Line,
  lineIn,
  metricLines,
  phaseLines,
  readerOf,
  type SeriesDefinition,
  type SeriesKey,
  seriesOf,
} from './series.ts';

/** Fields of a run that charts read. */
export type ChartedRun = Pick<RunModel, 'metrics' | 'configuration'>;

/** Text above a chart. */
interface ChartTitle {
  readonly title: string;
  /** Description of the values, in a few words. */
  readonly caption: string;
}

export interface ChartDefinition extends ChartTitle {
  readonly id: string;
  readonly series: readonly SeriesDefinition[];
  /** Fixed bounds of the value axis; found from the data where absent. */
  readonly bounds?: readonly [number, number];
  /** The step axis ends here; it grows with the run where absent. */
  readonly lastStep?: number;
  /** The value axis reaches at least this far, so that noise near zero looks like noise near zero. */
  readonly least?: number;
  readonly format: (value: number) => string;
  /** An area between two of its values, behind the lines. */
  readonly band?: { readonly low: SeriesKey; readonly high: SeriesKey; readonly colour: SeriesDefinition['colour'] };
  /** Returns true if a run has values to show in the chart. Absent for charts of every run. */
  readonly when?: (run: ChartedRun) => boolean;
}

/** The charts of an environment's runs. */
export interface Charts {
  readonly main: ChartDefinition;
  readonly small: readonly ChartDefinition[];
}

const share = format('.0%');
const number = format('.3~g');
const signed = format('.2~f');
const formatInteger = format(',.0f');
const milliseconds = (value: number) => (value < 10 ? signed(value) : formatInteger(value));

/** The lines of a chart that have a name. */
export function namedLines({ series }: ChartDefinition): readonly SeriesDefinition[] {
  return series.filter(({ thin }) => !thin);
}

/** Formats a value for people. Returns a dash if there is no value. */
export function showValue(chart: ChartDefinition, value: number): string {
  return Number.isFinite(value) ? chart.format(value).replace('-', '−') : chartStrings.noValue;
}

/** Returns true if any step of a run has a value for one of these lines. */
function measured({ metrics }: ChartedRun, lines: readonly Pick<Line, 'key'>[]): boolean {
  const readers = lines.map(({ key }) => readerOf(key));
  return metrics.some((row) => readers.some((read) => Number.isFinite(read(row))));
}

const texts = chartStrings;
const shares = { bounds: [0, 1] as const, format: share };

/** Charts of every update, for any environment. The first charts of a run are the charts of its environment. */
const UPDATE_CHARTS: readonly ChartDefinition[] = [
  {
    id: 'critic',
    ...texts.critic,
    series: seriesOf(...metricLines('explainedVariance', 'valueLoss')),
    least: 0.5,
    format: signed,
    // Once a rule had a critic, its curve stays.
    when: ({ metrics }) => metrics.some(({ valueLoss }) => typeof valueLoss === 'number'),
  },
  { id: 'entropy', ...texts.entropy, series: seriesOf(...metricLines('entropy')), least: 1, format: number },
  {
    id: 'kl',
    ...texts.kl,
    series: seriesOf(...metricLines('klReference', 'klOldK3')),
    least: 0.01,
    format: format('.3~f'),
  },
  {
    id: 'clip',
    ...texts.clip,
    series: seriesOf(...metricLines('clipLow', 'clipHigh')),
    least: 0.01,
    format: format('.1%'),
  },
  { id: 'gradient', ...texts.gradient, series: seriesOf(...metricLines('gradientNorm')), least: 0.5, format: signed },
];

const CREDIT_LINE = phaseLines('credit');

/** Phases of an update's time. On devices without timestamps, credit and optimisation are one line. */
const PHASE_CHARTS: readonly ChartDefinition[] = [
  {
    id: 'phases',
    ...texts.phases,
    series: seriesOf(...phaseLines('generation', 'execution', 'credit', 'optimisation')),
    least: 10,
    format: milliseconds,
    when: (run) => measured(run, CREDIT_LINE),
  },
  {
    id: 'phases',
    ...texts.phasesTogether,
    series: seriesOf(...phaseLines('generation', 'execution', 'update')),
    least: 10,
    format: milliseconds,
    when: (run) => !measured(run, CREDIT_LINE),
  },
];

/** The charts of each environment's runs, in the order in which they are shown. */
export const CHARTS = Object.fromEntries(
  ENVIRONMENT_LIST.map(({ name, charts: { main, small } }): [EnvironmentName, Charts] => [
    name,
    {
      main: chartOf(name, main),
      small: [...small.map((chart) => chartOf(name, chart)), ...UPDATE_CHARTS, ...PHASE_CHARTS],
    },
  ]),
) as Readonly<Record<EnvironmentName, Charts>>;

/** A chart that an environment declares. One of held-out figures alone is shown when there are some, as is one that waits for a line. */
function chartOf(environment: EnvironmentName, { lines, ...declared }: EnvironmentChart): ChartDefinition {
  const { id, title, caption, least, when, since, rules } = declared;
  const series = seriesOf(...lines.map((line) => lineIn(environment, line)));
  const axis = declared.format === 'share' ? shares : { format: signed };
  const pendingSeries =
    since === undefined ? series.every(({ sparse }) => sparse) && series : [lineIn(environment, since)];
  const isVisible: ChartDefinition['when'] = rules
    ? ({ metrics }) => metrics.some(({ rule }) => rules.includes(rule))
    : pendingSeries
      ? (run) => measured(run, pendingSeries)
      : when && (({ configuration }) => when(configuration.settings));
  return {
    ...{ id, title, caption, series },
    ...axis,
    ...(least === undefined ? {} : { least }),
    ...(isVisible ? { when: isVisible } : {}),
  };
}

/** [chart] by the keys of the shown lines, so that equal choices give the same object. */
const narrowed = new WeakMap<ChartDefinition, Map<string, ChartDefinition>>();

/**
 * A chart as a run fills it: without the lines of other settings, and without lines that are measured now and then until there
 * is a first point.
 */
export function filterChartLines(chart: ChartDefinition, run: ChartedRun): ChartDefinition {
  const sparse = chart.series.filter((line) => line.sparse);
  const isPending = sparse.length > 0 && !measured(run, sparse);
  const series = chart.series.filter(
    (line) => !(isPending && line.sparse) && (line.when?.(run.configuration.settings) ?? true),
  );
  if (series.length === chart.series.length) return chart;
  const known = narrowed.get(chart) ?? new Map<string, ChartDefinition>();
  narrowed.set(chart, known);
  const keys = series.map(({ key }) => key).join();
  // Lines of different settings share colours, so the colours follow the order of the shown lines.
  const hasSettings = chart.series.some(({ when }) => when);
  const coloured = hasSettings ? series.map((line, index) => ({ ...line, ...chooseSeriesStyle(index) })) : series;
  const displayed = known.get(keys) ?? { ...chart, series: coloured };
  known.set(keys, displayed);
  return displayed;
}
