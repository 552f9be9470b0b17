import { extent } from 'd3-array';
import { axisBottom, axisLeft } from 'd3-axis';
import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { select } from 'd3-selection';
import { area, line } from 'd3-shape';
import { separateLabels } from '../../experiments/separateLabels.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { type ChartDefinition, namedLines } from './chartDefinitions.ts';
import { LABEL_GAP, layoutLabels, type Mark, reachOf, type StepBand } from './chartMarks.ts';
import { columnOf, metricOf, readLastValue, type SeriesDefinition, updateOf } from './series.ts';

/** Contents and size [px] of a line chart. */
interface Picture {
  readonly chart: ChartDefinition;
  readonly metrics: readonly Metrics[];
  readonly marks: readonly Mark[];
  /** Areas of recorded runs behind the lines. */
  readonly bands?: readonly StepBand[];
  readonly width: number;
  readonly height: number;
  /** Large charts have room for full event labels. Their legend has the names of the lines. */
  readonly large: boolean;
  /** Index in `metrics` of the step at the cursor; undefined if there is no cursor. */
  readonly cursor: number | undefined;
}

/** Position of the plot inside the picture [px], and its step scale. Used to convert pointer positions to steps. */
export interface Frame {
  readonly left: number;
  readonly right: number;
  readonly x: ScaleLinear<number, number>;
}

const LABEL_ROW = 14;
/** Approximate width of a character of a small label [px]. */
const CHARACTER = 6.6;

/** Draws a line chart into an SVG element. Repeated calls reuse the child elements and change only their attributes. */
export function drawLines(element: SVGSVGElement, picture: Picture): Frame {
  const { chart, metrics, width, height, large } = picture;
  const named = namedLines(chart);
  // The legend of a large chart has the names of its lines.
  const labelled = chart.series.length > 1 && width > 190 && !large;
  const longest = Math.max(0, ...named.map(({ short }) => short.length));
  const left = large ? 40 : 34;
  const right = labelled ? 14 + longest * CHARACTER : 10;
  const top = large ? 2 * LABEL_ROW + 6 : LABEL_ROW + 4;
  const bottom = 20;

  const { lastStep } = chart;
  const reach = Math.max(reachOf(lastUpdate(metrics), picture.marks), bandReach(picture));
  const steps = lastStep === undefined ? stepDomain(reach) : [0, lastStep];
  const x = scaleLinear(steps, [left, width - right]);
  const y = scaleLinear(valueDomain(chart, metrics), [height - bottom, top]).nice(large ? 5 : 3);
  const svg = select(element).attr('viewBox', `0 0 ${width} ${height}`);
  const ticks = { x: Math.max(2, Math.floor(width / 90)), y: large ? 5 : 3 };

  const grid = layer(svg, 'grid').selectAll('line').data(y.ticks(ticks.y));
  grid
    .join('line')
    .attr('x1', left)
    .attr('x2', width - right)
    .attr('y1', y)
    .attr('y2', y);
  const across = axisBottom(x).ticks(ticks.x).tickSizeOuter(0).tickSize(4);
  layer(svg, 'axis-x')
    .attr('transform', `translate(0,${height - bottom})`)
    .call(across);
  const up = axisLeft<number>(y)
    .ticks(ticks.y)
    .tickSize(0)
    .tickPadding(6)
    .tickFormat((value) => chart.format(value));
  layer(svg, 'axis-y').attr('transform', `translate(${left},0)`).call(up);
  for (const name of ['axis-x', 'axis-y']) layer(svg, name).attr('font-size', null).attr('font-family', null);

  drawMarks(layer(svg, 'marks'), picture, x, top, height - bottom);
  drawStepBands(layer(svg, 'recorded'), picture.bands ?? [], x, y);
  if (chart.band) drawBand(layer(svg, 'band'), chart.band, metrics, x, y);
  const lines = layer(svg, 'lines').selectAll<SVGPathElement, SeriesDefinition>('path').data(chart.series);
  lines
    .join('path')
    .attr('fill', 'none')
    .style('stroke', ({ colour }) => `var(${colour})`)
    .attr('stroke-dasharray', ({ dash }) => dash || null)
    .attr('class', ({ thin }) => (thin ? 'thin' : null))
    .attr('d', (definition) => pathOf(definition, metrics, x, y, width));
  drawPoints(layer(svg, 'points'), picture, x, y);
  drawEndLabels(layer(svg, 'ends'), picture, labelled, y, width - right + 6, top, height - bottom);
  drawCursor(layer(svg, 'cursor'), picture, x, y, top, height - bottom);
  return { left, right: width - right, x };
}

function lastUpdate(metrics: readonly Metrics[]): number {
  const row = metrics.at(-1);
  return row ? updateOf(row) : 0;
}

type Svg = ReturnType<typeof select<SVGSVGElement, unknown>>;
type Layer = ReturnType<typeof layer>;
type Scale = ScaleLinear<number, number>;

/** Returns the layer with this name, and creates it if it is missing. */
function layer(svg: Svg, name: string) {
  return svg
    .selectAll<SVGGElement, string>(`g.${name}`)
    .data([name])
    .join((enter) => enter.append('g').attr('class', name));
}

function pathOf(series: SeriesDefinition, metrics: readonly Metrics[], x: Scale, y: Scale, width: number): string {
  const values = columnOf(metrics, series.key);
  const updates = columnOf(metrics, 'update');
  const path = line<number>()
    .defined((index) => Number.isFinite(values[index]))
    .x((index) => x(updates[index] ?? 0))
    .y((index) => y(values[index] ?? 0))
    .digits(1);
  const drawn = series.sparse ? measuredAt(values) : decimate(values, Math.ceil(width / 3));
  return path(drawn) ?? '';
}

/** Draws the area between two values behind the lines. The presence of a band must not change between drawings. */
function drawBand(
  layer: Layer,
  band: NonNullable<ChartDefinition['band']>,
  metrics: readonly Metrics[],
  x: Scale,
  y: Scale,
): void {
  const updates = columnOf(metrics, 'update');
  const [low, high] = [columnOf(metrics, band.low), columnOf(metrics, band.high)];
  const shape = area<number>()
    .x((index) => x(updates[index] ?? 0))
    .y0((index) => y(low[index] ?? 0))
    .y1((index) => y(high[index] ?? 0))
    .digits(1);
  const path = shape(measuredAt(low));
  layer
    .selectAll('path')
    .data(path ? [path] : [])
    .join('path')
    .style('fill', `var(${band.colour})`)
    .attr('d', (data) => data);
}

/** Maximum number of steps that a band of recorded runs extends the axis beyond the last update. */
const AHEAD = 40;

/** Returns the axis end for the band after a change of rule, which shows how long the change takes. */
function bandReach({ bands = [], metrics }: Picture): number {
  const [, second] = bands;
  const last = lastUpdate(metrics);
  return Math.max(0, ...(second?.steps.filter((step) => step <= last + AHEAD) ?? []));
}

/** Draws the areas of recorded runs, up to the end of the axis. */
function drawStepBands(layer: Layer, bands: readonly StepBand[], x: Scale, y: Scale): void {
  const [, last = 0] = x.domain();
  const paths = bands.map(({ steps, low, high }) => {
    const shape = area<number>()
      .x((index) => x(steps[index] ?? 0))
      .y0((index) => y(low[index] ?? 0))
      .y1((index) => y(high[index] ?? 0))
      .digits(1);
    return shape([...steps.keys()].filter((index) => (steps[index] ?? 0) <= last)) ?? '';
  });
  layer
    .selectAll('path')
    .data(paths)
    .join('path')
    .attr('d', (path) => path);
}

/** Returns the indices of the measured values. */
function measuredAt(values: Float64Array): number[] {
  return [...values.keys()].filter((index) => Number.isFinite(values[index]));
}

/** Draws the points of sparse lines. */
function drawPoints(points: Layer, { chart, metrics, large }: Picture, x: Scale, y: Scale): void {
  const updates = columnOf(metrics, 'update');
  const all = namedLines(chart).flatMap(({ key, colour, sparse }) => {
    if (!sparse) return [];
    const values = columnOf(metrics, key);
    return measuredAt(values).map((index) => ({ colour, x: x(updates[index] ?? 0), y: y(values[index] ?? 0) }));
  });
  points
    .selectAll<SVGCircleElement, (typeof all)[number]>('circle')
    .data(all)
    .join('circle')
    .attr('r', large ? 3 : 2)
    .attr('cx', (point) => point.x.toFixed(1))
    .attr('cy', (point) => point.y.toFixed(1))
    .style('fill', ({ colour }) => `var(${colour})`);
}

function drawMarks(marks: Layer, picture: Picture, x: Scale, top: number, bottom: number): void {
  const [left = 0, right = 0] = x.range();
  const [, last = 0] = x.domain();
  const visible = picture.marks.filter(({ step }) => step > 0 && step <= last);
  const labels = visible.map((mark) => (picture.large ? mark.label : mark.short));
  const requested = visible.map(({ step, rule }, index) => {
    return { x: x(step), width: (labels[index] ?? '').length * CHARACTER, first: rule };
  });
  const positions = layoutLabels(requested, picture.large ? 2 : 1, left, right);
  const groups = marks
    .selectAll<SVGGElement, Mark>('g')
    .data(visible)
    .join((enter) => {
      const group = enter.append('g');
      group.append('title');
      group.append('line');
      group.append('text');
      return group;
    })
    .attr('class', ({ rule, planned }) => `${rule ? 'rule' : 'other'}${planned ? ' planned' : ''}`);
  groups.select('title').text((mark) => mark.text);
  const heads = positions.map(({ row }) => (row < 0 ? top : (row + 1) * LABEL_ROW - 8));
  groups
    .select('line')
    .attr('x1', (mark) => x(mark.step))
    .attr('x2', (mark) => x(mark.step))
    .attr('y1', (_, index) => heads[index] ?? top)
    .attr('y2', bottom);
  groups
    .select('text')
    .attr('x', (mark, index) => x(mark.step) + (positions[index]?.isFlipped ? -LABEL_GAP : LABEL_GAP))
    .attr('text-anchor', (_, index) => (positions[index]?.isFlipped ? 'end' : 'start'))
    .attr('y', (_, index) => (heads[index] ?? 0) + 8)
    .text((_, index) => ((positions[index]?.row ?? -1) < 0 ? '' : (labels[index] ?? '')));
}

function drawEndLabels(
  ends: Layer,
  { chart, metrics }: Picture,
  labelled: boolean,
  y: Scale,
  left: number,
  top: number,
  bottom: number,
): void {
  const lastOf = (series: SeriesDefinition) => readLastValue(metrics, series);
  const visible = labelled ? namedLines(chart).filter((series) => Number.isFinite(lastOf(series))) : [];
  const requested = visible.map((series) => y(lastOf(series)));
  const positions = separateLabels(requested, 13, top, bottom);
  ends
    .selectAll<SVGTextElement, SeriesDefinition>('text')
    .data(visible)
    .join('text')
    .attr('x', left)
    .attr('y', (_, index) => positions[index] ?? 0)
    .attr('dominant-baseline', 'central')
    .style('fill', ({ colour }) => `var(${colour})`)
    .text(({ short }) => short);
}

function drawCursor(cursor: Layer, picture: Picture, x: Scale, y: Scale, top: number, bottom: number): void {
  const row = picture.cursor === undefined ? undefined : picture.metrics[picture.cursor];
  cursor
    .selectAll<SVGLineElement, Metrics>('line')
    .data(row ? [row] : [])
    .join('line')
    .attr('x1', (update) => x(updateOf(update)))
    .attr('x2', (update) => x(updateOf(update)))
    .attr('y1', top)
    .attr('y2', bottom);
  const points = row ? namedLines(picture.chart).filter(({ key }) => Number.isFinite(metricOf(row, key))) : [];
  cursor
    .selectAll<SVGCircleElement, SeriesDefinition>('circle')
    .data(points)
    .join('circle')
    .attr('r', 3.5)
    .attr('cx', row ? x(updateOf(row)) : 0)
    .attr('cy', ({ key }) => (row ? y(metricOf(row, key)) : 0))
    .style('fill', ({ colour }) => `var(${colour})`);
}

/** Ends of the step axis. The axis grows in strides, so that the lines do not shift at each update. */
const STRIDES = [30, 60, 120, 180, 240, 300, 400, 500, 600, 800, 1000];

export function stepDomain(lastStep: number): [number, number] {
  const stride = STRIDES.find((candidate) => lastStep <= candidate);
  return [0, stride ?? Math.ceil(lastStep / 500) * 500];
}

/** Returns the ends of the value axis: fixed bounds, or the range of the values extended to 0 and `least`. */
export function valueDomain(chart: ChartDefinition, metrics: readonly Metrics[]): [number, number] {
  if (chart.bounds) return [...chart.bounds];
  let low = 0;
  let high = chart.least ?? 0;
  for (const { key } of chart.series) {
    const [smallest, largest] = extent(columnOf(metrics, key));
    low = Math.min(low, smallest ?? 0);
    high = Math.max(high, largest ?? 0);
  }
  // Slightly negative values, for example from rounding, do not extend the axis below 0.
  if (low > -high / 50) low = 0;
  return high > low ? [low, high] : [0, 1];
}

/**
 * Selects the visible points of a long curve by M4 aggregation: the first, lowest, highest and last point of each of
 * `buckets` equal parts. No spike is lost. Short curves keep all points.
 * @param values values of the curve, NaN for missing ones
 * @returns indices in ascending order, at most 4 per bucket
 */
export function decimate(values: ArrayLike<number>, buckets: number): number[] {
  const { length } = values;
  if (length <= 4 * buckets) return Array.from({ length }, (_, index) => index);
  const retained: number[] = [];
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const from = Math.floor((bucket * length) / buckets);
    const to = Math.floor(((bucket + 1) * length) / buckets) - 1;
    let lowest = from;
    let highest = from;
    for (let index = from + 1; index <= to; index += 1) {
      const value = values[index] as number;
      if (value < (values[lowest] as number)) lowest = index;
      if (value > (values[highest] as number)) highest = index;
    }
    const picked = new Set([from, Math.min(lowest, highest), Math.max(lowest, highest), to]);
    retained.push(...picked);
  }
  return retained;
}
