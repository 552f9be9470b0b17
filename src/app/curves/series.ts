import type { LineKey, NamedLine } from '../../environments/chart.ts';
import type { Fact } from '../../environments/fact.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { metricRow, type NumberMetric } from '../../metrics/metricTable.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { Metrics } from '../../training/data/protocol.ts';

/** Phases of an update, each with the metric that reports it. */
const PHASES = {
  generation: 'generateMs',
  execution: 'executeMs',
  credit: 'creditMs',
  optimisation: 'optimizeMs',
  update: 'updateMs',
} as const satisfies Record<string, NumberMetric>;

type Phase = keyof typeof PHASES;

/** Value that a line shows: a metric, a fact of the environment, a figure on held-out tasks, or the time of a phase. */
export type SeriesKey = LineKey | `phase:${Phase}`;

/** One line of a chart. Colour and dash pattern say the same thing twice, so that either is enough. */
export interface SeriesDefinition {
  readonly key: SeriesKey;
  readonly label: string;
  /** Label at the end of the line. */
  readonly short: string;
  /** Name of a custom property of the theme. */
  readonly colour: `--series-${1 | 2 | 3 | 4}`;
  /** As in stroke-dasharray; empty for a solid line. */
  readonly dash: string;
  /** Measured now and then: points, joined by lines. A chart leaves the line out until there is a first point. */
  readonly sparse: boolean;
  /** It may end before the chart does, and says its last value then. */
  readonly lasting?: boolean;
  /** True for the settings of the runs that have this line; absent if all runs have it. */
  readonly when?: (settings: ParameterValues) => boolean;
  /** One of many of a kind: drawn thin, and without a name. */
  readonly thin?: boolean;
}

const DASHES = ['', '7 4', '2 3', '9 3 2 3'];

/** The time of a phase, ms. Generation is drawn without the time that it waits for programs. */
function timeOf(phase: Phase, metrics: Partial<Metrics>): number | null | undefined {
  const time = metrics[PHASES[phase]];
  return phase === 'generation' ? time && time - (metrics.executeMs ?? 0) : time;
}

/** Share of the watched turns of an update with some results (see LineKey). */
function turnShare({ decision }: Partial<Metrics>, names: string): number {
  if (!decision) return Number.NaN;
  const sum = (cases: readonly string[]) => cases.reduce((total, name) => total + (decision[`${name}Count`] ?? 0), 0);
  const [part = '', divisor] = names.split('/');
  const all = Object.keys(decision).flatMap((key) => (key.endsWith('Credit') ? key.slice(0, -'Credit'.length) : []));
  return sum(part.split('+')) / sum(divisor === undefined ? all : divisor.split('+'));
}

/** Returns a function that reads a line's value of one step; NaN if it is missing. */
export function readerOf(key: SeriesKey): (metrics: Metrics) => number {
  const [kind, name] = key.split(':');
  if (name === undefined) return (metrics) => metrics[key as NumberMetric] ?? Number.NaN;
  if (kind === 'phase') return (metrics) => timeOf(name as Phase, metrics) ?? Number.NaN;
  if (kind === 'turns') return (metrics) => turnShare(metrics, name);
  const group = kind === 'fact' ? 'facts' : 'heldOut';
  return (metrics: Partial<Metrics>) => metrics[group]?.[name] ?? Number.NaN;
}

/** A line's value of one step; NaN where it is missing. */
export function metricOf(metrics: Metrics, key: SeriesKey): number {
  return readerOf(key)(metrics);
}

/** A line before it has its place in a chart. */
export type Line = Pick<SeriesDefinition, 'key' | 'label' | 'short' | 'when'>;

/** Metrics of every update, under the labels of their rows. */
export function metricLines(...names: readonly NumberMetric[]): Line[] {
  return names.map((name) => lineOf(name, name));
}

function lineOf(key: SeriesKey, name: NumberMetric): Line {
  const { label, short = label } = metricRow(name);
  return { key, label, short };
}

/**
 * A line that an environment declares, under its own label or that of its row.
 * @throws {Error} for a fact that the environment lacks
 */
export function lineIn(environment: EnvironmentName, line: LineKey | NamedLine): Line {
  if (typeof line !== 'string') return line;
  const [table, name] = line.split(':');
  if (name === undefined) return lineOf(line, line as NumberMetric);
  const facts: readonly Fact[] = ENVIRONMENTS[environment][table === 'fact' ? 'facts' : 'heldOut'];
  const fact = facts.find((candidate) => candidate.name === name);
  if (!fact) throw new Error(`a chart has the line "${line}", which the environment "${environment}" does not define`);
  const { label, short = label } = fact;
  return { key: line, label, short };
}

export function phaseLines(...phases: readonly Phase[]): Line[] {
  return phases.map((phase) => lineOf(`phase:${phase}`, PHASES[phase]));
}

/** Lines in their places: each its colour and its dashes. */
export function seriesOf(...lines: readonly Line[]): SeriesDefinition[] {
  return lines.map((line, index) => ({
    ...line,
    ...chooseSeriesStyle(index),
    sparse: line.key.startsWith('heldOut:'),
  }));
}

/** The look of the lines of a chart, in their order. */
export function chooseSeriesStyle(index: number): Pick<SeriesDefinition, 'colour' | 'dash'> {
  return {
    colour: `--series-${(index % 4) + 1}` as SeriesDefinition['colour'],
    dash: DASHES[index % DASHES.length] ?? '',
  };
}
