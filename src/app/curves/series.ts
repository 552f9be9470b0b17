import type { LineKey, NamedLine } from '../../environments/chart.ts';
import type { Fact } from '../../environments/fact.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { metricRow, type NumberMetric } from '../../metrics/metricTable.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { Metrics } from '../../training/data/protocol.ts';

/** Metric of each phase of an update [ms]. */
const PHASES = {
  generation: 'generateMs',
  execution: 'executeMs',
  credit: 'creditMs',
  optimisation: 'optimizeMs',
  update: 'updateMs',
} as const satisfies Record<string, NumberMetric>;

type Phase = keyof typeof PHASES;

/** Value of a line: a metric, an environment metric, a held-out metric, or the time of a phase. */
export type SeriesKey = LineKey | `phase:${Phase}`;

/** One line of a chart. Colour and dash pattern each identify the line. */
export interface SeriesDefinition {
  readonly key: SeriesKey;
  readonly label: string;
  /** Label at the end of the line. */
  readonly short: string;
  /** Name of a custom property of the theme. */
  readonly colour: `--series-${1 | 2 | 3 | 4}`;
  /** Dash pattern in the syntax of stroke-dasharray; empty for a solid line. */
  readonly dash: string;
  /** True for a line that is measured periodically and drawn as joined points. It is hidden before its first value. */
  readonly sparse: boolean;
  /** True for a line that may end before the chart. The legend then has its last value. */
  readonly lasting?: boolean;
  /** Returns true if runs with these settings have the line. Absent if all runs have it. */
  readonly when?: (settings: ParameterValues) => boolean;
  /** True for one of many similar lines, which is thin and has no name. */
  readonly thin?: boolean;
}

const DASHES = ['', '7 4', '2 3', '9 3 2 3'];

/** Returns the time of a phase [ms]. The time of generation excludes waiting for programs. */
function timeOf(phase: Phase, metrics: Partial<Metrics>): number | null | undefined {
  const time = metrics[PHASES[phase]];
  return phase === 'generation' ? time && time - (metrics.executeMs ?? 0) : time;
}

/** Returns the share of the watched turns of an update that have the given results, 0 to 1 (see LineKey). */
function turnShare({ decision }: Partial<Metrics>, names: string): number {
  if (!decision) return Number.NaN;
  const sum = (cases: readonly string[]) => cases.reduce((total, name) => total + (decision[`${name}Count`] ?? 0), 0);
  const [part = '', divisor] = names.split('/');
  const all = Object.keys(decision).flatMap((key) => (key.endsWith('Credit') ? key.slice(0, -'Credit'.length) : []));
  return sum(part.split('+')) / sum(divisor === undefined ? all : divisor.split('+'));
}

/** Returns a function that reads the value of a line at one step, NaN if it is missing. */
export function readerOf(key: SeriesKey): (metrics: Metrics) => number {
  const [kind, name] = key.split(':');
  if (name === undefined) return (metrics) => metrics[key as NumberMetric] ?? Number.NaN;
  if (kind === 'phase') return (metrics) => timeOf(name as Phase, metrics) ?? Number.NaN;
  if (kind === 'turns') return (metrics) => turnShare(metrics, name);
  const group = kind === 'fact' ? 'facts' : 'heldOut';
  return (metrics: Partial<Metrics>) => metrics[group]?.[name] ?? Number.NaN;
}

/** Returns the value of a line at one step, or NaN if it is missing. */
export function metricOf(metrics: Metrics, key: SeriesKey): number {
  return readerOf(key)(metrics);
}

/** Line without the style that its index in a chart determines. */
export type Line = Pick<SeriesDefinition, 'key' | 'label' | 'short' | 'when'>;

/** Returns lines for metrics, with the labels of the metric table. */
export function metricLines(...names: readonly NumberMetric[]): Line[] {
  return names.map((name) => lineOf(name, name));
}

function lineOf(key: SeriesKey, name: NumberMetric): Line {
  const { label, short = label } = metricRow(name);
  return { key, label, short };
}

/**
 * Returns the line that an environment declares. A line without a label has the label of its metric.
 * @throws {Error} if the environment does not define the metric
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

/** Assigns a colour and a dash pattern to each line, by its index. */
export function seriesOf(...lines: readonly Line[]): SeriesDefinition[] {
  return lines.map((line, index) => ({
    ...line,
    ...chooseSeriesStyle(index),
    sparse: line.key.startsWith('heldOut:'),
  }));
}

/** Returns the colour and dash pattern of the line at an index. */
export function chooseSeriesStyle(index: number): Pick<SeriesDefinition, 'colour' | 'dash'> {
  return {
    colour: `--series-${(index % 4) + 1}` as SeriesDefinition['colour'],
    dash: DASHES[index % DASHES.length] ?? '',
  };
}

/** Returns the displayed number of an update, from 1. It equals the number of completed updates. */
export const updateOf = ({ step }: Pick<Metrics, 'step'>) => step + 1;

/** Cached columns of one growing list of metrics. The arrays have spare capacity. */
interface Columns {
  length: number;
  readonly values: Map<SeriesKey | 'update', Float64Array>;
}

const known = new WeakMap<readonly Metrics[], Columns>();

/**
 * Returns one metric of all steps as an array, with NaN for missing values. Charts read thousands of values several
 * times per second, so the columns are cached and grow with the list.
 * @param metrics list that grows only at its end; any other change requires a new list
 * @param key metric, or `update` for the numbers of the updates, from 1
 */
export function columnOf(metrics: readonly Metrics[], key: SeriesKey | 'update'): Float64Array {
  const columns = known.get(metrics) ?? { length: 0, values: new Map() };
  known.set(metrics, columns);
  if (columns.length !== metrics.length) grow(columns, metrics);
  let column = columns.values.get(key);
  if (!column) {
    column = new Float64Array(capacityFor(metrics.length));
    fill(column, metrics, key, 0);
    columns.values.set(key, column);
  }
  return column.subarray(0, metrics.length);
}

/** Returns the last value of a line, or NaN if it is missing. */
export function readLastValue(
  metrics: readonly Metrics[],
  { key, sparse, lasting = false }: Pick<SeriesDefinition, 'key' | 'sparse' | 'lasting'>,
): number {
  return readValueAt(metrics, { key, sparse: sparse || lasting }, metrics.length - 1);
}

/**
 * Returns the value of a line at a step, or NaN if it is missing. For a sparse line, returns the last value up to that
 * step.
 * @param index index of the step in `metrics`
 */
export function readValueAt(
  metrics: readonly Metrics[],
  { key, sparse }: Pick<SeriesDefinition, 'key' | 'sparse'>,
  index: number,
): number {
  const values = columnOf(metrics, key);
  let at = Math.min(index, values.length - 1);
  while (sparse && at > 0 && Number.isNaN(values[at])) at -= 1;
  return values[at] ?? Number.NaN;
}

function grow(columns: Columns, metrics: readonly Metrics[]): void {
  for (const [key, column] of columns.values) {
    let target = column;
    if (column.length < metrics.length) {
      target = new Float64Array(capacityFor(metrics.length));
      target.set(column);
      columns.values.set(key, target);
    }
    fill(target, metrics, key, columns.length);
  }
  columns.length = metrics.length;
}

function fill(column: Float64Array, metrics: readonly Metrics[], key: SeriesKey | 'update', from: number): void {
  const read = key === 'update' ? updateOf : readerOf(key);
  for (let index = from; index < metrics.length; index += 1) column[index] = read(metrics[index] as Metrics);
}

function capacityFor(length: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(256, length)));
}
