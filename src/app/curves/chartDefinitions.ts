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

/** Title and caption above a chart. */
interface ChartTitle {
  readonly title: string;
  /** Short description of the values, for example their unit. */
  readonly caption: string;
}

export interface ChartDefinition extends ChartTitle {
  readonly id: string;
  readonly series: readonly SeriesDefinition[];
  /** Fixed bounds of the value axis. If absent, the bounds are computed from the data. */
  readonly bounds?: readonly [number, number];
  /** Fixed end of the step axis. If absent, the axis grows with the run. */
  readonly lastStep?: number;
  /** Smallest upper end of the value axis, so that noise near zero does not fill the chart. */
  readonly least?: number;
  readonly format: (value: number) => string;
  /** Area between two values, behind the lines. */
  readonly band?: { readonly low: SeriesKey; readonly high: SeriesKey; readonly colour: SeriesDefinition['colour'] };
  /** Returns true if a run has values for the chart. Absent if all runs have the chart. */
  readonly when?: (run: ChartedRun) => boolean;
}

/** Charts for the runs of an environment. */
export interface Charts {
  readonly main: ChartDefinition;
  readonly small: readonly ChartDefinition[];
}

const share = format('.0%');
const number = format('.3~g');
const signed = format('.2~f');
const formatInteger = format(',.0f');
const milliseconds = (value: number) => (value < 10 ? signed(value) : formatInteger(value));

/** Returns the lines of a chart that have a name. */
export function namedLines({ series }: ChartDefinition): readonly SeriesDefinition[] {
  return series.filter(({ thin }) => !thin);
}

/** Formats a value of a chart. Returns a dash for NaN and infinite values. */
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

/** Charts of the metrics that all environments have. They follow the charts of the environment. */
const UPDATE_CHARTS: readonly ChartDefinition[] = [
  {
    id: 'critic',
    ...texts.critic,
    series: seriesOf(...metricLines('explainedVariance', 'valueLoss')),
    least: 0.5,
    format: signed,
    // The chart stays after a change to a rule without a critic.
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

/** Charts of the time per phase of an update. On devices without timestamps, credit and optimisation are one line. */
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

/** Charts for the runs of each environment, in display order. */
export const CHARTS = Object.fromEntries(
  ENVIRONMENT_LIST.map(({ name, charts: { main, small } }): [EnvironmentName, Charts] => [
    name,
    {
      main: chartOf(name, main),
      small: [...small.map((chart) => chartOf(name, chart)), ...UPDATE_CHARTS, ...PHASE_CHARTS],
    },
  ]),
) as Readonly<Record<EnvironmentName, Charts>>;

/**
 * Returns the chart of an environment's declaration. A chart that has only held-out lines is shown when one of them has
 * a value. A chart with `since` is shown when that line has a value.
 */
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

/** Narrowed charts, by chart and by the keys of the shown lines. Equal selections return the same object. */
const narrowed = new WeakMap<ChartDefinition, Map<string, ChartDefinition>>();

/**
 * Returns a chart with only the lines that a run has: without lines for other settings, and without sparse lines before
 * their first value.
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
  // Lines of different settings share colours, so the index among the shown lines determines the colour.
  const hasSettings = chart.series.some(({ when }) => when);
  const coloured = hasSettings ? series.map((line, index) => ({ ...line, ...chooseSeriesStyle(index) })) : series;
  const displayed = known.get(keys) ?? { ...chart, series: coloured };
  known.set(keys, displayed);
  return displayed;
}
