import { format } from 'd3-format';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { RunModel } from '../session/runModel.ts';
import { chartStrings } from '../strings/chartStrings.ts';
import {
  factLines,
  heldOutLines,
  type Line,
  metricLines,
  phaseLines,
  readerOf,
  type SeriesDefinition,
  seriesOf,
} from './series.ts';

/** What charts look at in a run. */
export type ChartedRun = Pick<RunModel, 'metrics' | 'configuration'>;

/** What stands above a chart. */
interface ChartTitle {
  readonly title: string;
  /** What the values are, in a few words. */
  readonly caption: string;
}

export interface ChartDefinition extends ChartTitle {
  readonly id: string;
  readonly series: readonly SeriesDefinition[];
  /** Fixed bounds of the value axis; found from the data where absent. */
  readonly bounds?: readonly [number, number];
  /** The value axis reaches at least this far, so that noise near zero looks like noise near zero. */
  readonly least?: number;
  readonly format: (value: number) => string;
  /** Whether a run has anything to show in it; absent for charts of every run. */
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
const whole = format(',.0f');
const milliseconds = (value: number) => (value < 10 ? signed(value) : whole(value));

/** A value for people; a dash where there is none. */
export function showValue(chart: ChartDefinition, value: number): string {
  return Number.isFinite(value) ? chart.format(value).replace('-', '−') : chartStrings.noValue;
}

/** Whether any step of a run has a value for one of these lines. */
function measured({ metrics }: ChartedRun, lines: readonly Pick<Line, 'key'>[]): boolean {
  const readers = lines.map(({ key }) => readerOf(key));
  return metrics.some((row) => readers.some((read) => Number.isFinite(read(row))));
}

const texts = chartStrings;
const shares = { bounds: [0, 1] as const, format: share };

/** What is told of every update, whatever the environment; the first charts of a run are its environment's. */
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

/** Where the time of an update goes; on devices without timestamps credit and optimisation are one line. */
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

function rewardsChart(title: ChartTitle): ChartDefinition {
  return {
    id: 'rewards',
    ...title,
    series: seriesOf(...metricLines('rewardTurn', 'rewardOutcome')),
    least: 0.5,
    format: signed,
  };
}

function advantageChart(title: ChartTitle): ChartDefinition {
  return {
    id: 'advantage',
    ...title,
    series: seriesOf(...metricLines('advantageFirst', 'advantageLast')),
    least: 0.5,
    format: signed,
  };
}

function heldOutChart(environment: EnvironmentName): ChartDefinition {
  const lines = heldOutLines(environment);
  return {
    id: 'held-out',
    ...texts.heldOut,
    series: seriesOf(...lines),
    ...shares,
    when: (run) => measured(run, lines),
  };
}

/** The rule's own ties beside those that the environment counts. */
function tiesChart(environment: EnvironmentName, fact: string, title: ChartTitle): ChartDefinition {
  const [label, short] = texts.ownReward;
  const own: Line = { key: 'degenerate', label, short };
  return { id: 'degenerate', ...title, series: seriesOf(...factLines(environment, fact), own), ...shares };
}

const RETAINED: ChartDefinition = {
  id: 'retained',
  ...texts.retained,
  series: seriesOf(...metricLines('retained')),
  ...shares,
};

const SEARCH: Charts = {
  main: {
    id: 'main',
    ...texts.main.search,
    series: seriesOf(...metricLines('toolUse', 'answer', 'retrieval', 'format')),
    ...shares,
  },
  small: [
    rewardsChart(texts.rewards),
    { id: 'search', ...texts.search, series: seriesOf(...metricLines('searchProbability')), ...shares },
    heldOutChart('search'),
    {
      id: 'degenerate',
      ...texts.degenerate,
      series: seriesOf(...metricLines('degenerate', 'degenerateBest', 'degenerateWorst')),
      ...shares,
    },
    advantageChart(texts.advantage),
    {
      id: 'searches',
      ...texts.searches,
      series: seriesOf(...metricLines('searches')),
      least: 1,
      format: signed,
      when: ({ configuration }) => Number(configuration.settings.maxTurns) > 2,
    },
    ...UPDATE_CHARTS,
    ...PHASE_CHARTS,
  ],
};

const REPAIR: Charts = {
  main: {
    id: 'main',
    ...texts.main.repair,
    series: seriesOf(...factLines('repair', 'pass1', 'pass2', 'solved', 'repaired')),
    ...shares,
  },
  small: [
    heldOutChart('repair'),
    tiesChart('repair', 'degenerate01', texts.ties),
    RETAINED,
    {
      id: 'tests',
      ...texts.tests,
      series: seriesOf(...factLines('repair', 'passRate', 'partial', 'syntaxErrors')),
      ...shares,
    },
    rewardsChart(texts.rewardsOfTurns),
    advantageChart(texts.advantageOfTurns),
    ...UPDATE_CHARTS,
    ...PHASE_CHARTS,
  ],
};

const heldOutSolved = heldOutLines('repo', 'solved').map((line) => ({
  ...line,
  label: texts.heldOutSeries(line.label),
  short: texts.heldOutShort,
}));

const REPO: Charts = {
  main: {
    id: 'main',
    ...texts.main.repo,
    series: seriesOf(...factLines('repo', 'solved', 'tested', 'finished'), ...heldOutSolved),
    ...shares,
  },
  small: [
    heldOutChart('repo'),
    { id: 'episode', ...texts.episode, series: seriesOf(...factLines('repo', 'steps')), least: 14, format: signed },
    { id: 'invalid', ...texts.invalid, series: seriesOf(...factLines('repo', 'invalid')), ...shares },
    {
      id: 'comparison',
      ...texts.comparison,
      series: seriesOf(...factLines('repo', 'zeroAdvantage', 'sharedStates')),
      ...shares,
    },
    tiesChart('repo', 'uniform', texts.tiesOfEpisodes),
    RETAINED,
    rewardsChart(texts.rewardsOfTurns),
    advantageChart(texts.advantageOfTurns),
    ...UPDATE_CHARTS,
    ...PHASE_CHARTS,
  ],
};

/** The charts of each environment's runs, in the order in which they are shown. */
export const CHARTS: Readonly<Record<EnvironmentName, Charts>> = { search: SEARCH, repair: REPAIR, repo: REPO };

const withoutUnmeasured = new WeakMap<ChartDefinition, ChartDefinition>();

/** A chart as a run fills it: lines that are measured now and then are left out until there is a first point. */
export function shownChart(chart: ChartDefinition, run: ChartedRun): ChartDefinition {
  const sparse = chart.series.filter((line) => line.sparse);
  if (sparse.length === 0 || measured(run, sparse)) return chart;
  const shown = withoutUnmeasured.get(chart) ?? { ...chart, series: chart.series.filter((line) => !line.sparse) };
  withoutUnmeasured.set(chart, shown);
  return shown;
}
