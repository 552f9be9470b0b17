import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { separateLabels } from '../../experiments/separateLabels.ts';
import { meanSeries } from '../../experiments/statistics.ts';
import type { CalibrationBin } from '../../training/rewardModel/pairs.ts';

const HEIGHT = 330;
const PANEL = { width: 300, height: 220, top: 64, axis: 48 } as const;
/** Minimum distance between the labels of two lines [px]. */
const LABEL_GAP = 15;
/** Approximate width of a letter of a label, and minimum width of the labels [px]. */
const LETTER = 7;
const LABELS = 72;
/** Maximum number of curves with a line per seed. With more curves, the lines of the seeds hide the means. */
const MAX_WITH_SEEDS = 6;
const TEXT_COLOUR = '#7a828a';

/** Curves of all seeds under one condition, for example of one arm. */
export interface Curves {
  readonly label: string;
  readonly colour: string;
  /** Dash pattern of SVG. Empty for a solid line. */
  readonly dash: string;
  /** [panels][seeds][points] */
  readonly panels: readonly (readonly (readonly number[])[])[];
}

/** Figure with panels of curves. The vertical axis is from 0 to 1. */
export interface Drawing {
  readonly title: string;
  /** Text alternative for screen readers. */
  readonly description: string;
  readonly panels: readonly { readonly title: string; readonly note: string }[];
  readonly curves: readonly Curves[];
  /** Positions of the points on the axis in ascending order, and the title of the axis. */
  readonly along: { readonly title: string; readonly points: readonly number[] };
  /** Window of the centred moving mean that smooths the mean line [updates]. 1 or absent for no smoothing. */
  readonly window?: number;
}

/** Returns a horizontal axis with one point per update of a run. */
export const alongUpdates = (steps: number): Drawing['along'] => ({
  title: 'update',
  points: Array.from({ length: steps }, (_, step) => step),
});

/**
 * Draws curves as an SVG file: a bold line per mean, with its label at the end, and a thin line per seed. The lines of
 * the seeds are omitted above MAX_WITH_SEEDS curves.
 */
export function curvesSvg(drawing: Drawing): string {
  const labels = Math.max(LABELS, LETTER * Math.max(0, ...drawing.curves.map(({ label }) => label.length)));
  const pitch = PANEL.axis + PANEL.width + labels;
  const width = pitch * drawing.panels.length + 20;
  const parts = drawing.panels.map((_, index) => drawPanel(drawing, index, PANEL.axis + index * pitch));
  return svgDocument(drawing, width, HEIGHT, parts);
}

/** Describes the final means of a curve in words: "tool use 0.99, right answers 0.93". */
export function describeFinalValues({ panels }: Pick<Drawing, 'panels'>, curves: Curves): string {
  return panels
    .map(({ title }, index) => {
      const end = meanSeries(curves.panels[index]).at(-1) ?? NaN;
      return `${title.toLowerCase()} ${end.toFixed(2)}`;
    })
    .join(', ');
}

/**
 * Draws a panel.
 * @param left horizontal position of the vertical axis [px]
 */
function drawPanel({ panels, curves, along, window = 1 }: Drawing, index: number, left: number): string {
  const { points, title } = along;
  const last = Math.max(1, points.at(-1) ?? 1);
  const x = scaleLinear([0, last], [left, left + PANEL.width]);
  const y = scaleLinear([0, 1], [PANEL.top + PANEL.height, PANEL.top]);
  const path = line<number>()
    .defined(Number.isFinite)
    .x((_, at) => rounded(x(points[at])))
    .y((value) => rounded(y(value)));
  const means = curves.map(({ panels: curvePanels }) => smoothed(meanSeries(curvePanels[index]), window));
  const withSeeds = curves.length <= MAX_WITH_SEEDS;
  const lines = curves.map(({ colour, dash, panels: curvePanels }, number) => {
    const seeds = (withSeeds ? curvePanels[index] : []).map(
      (values) => `<path d="${path(values) ?? ''}" stroke-width="0.8" opacity="0.35"/>`,
    );
    const dashes = dash ? ` stroke-dasharray="${dash}"` : '';
    const mean = `<path d="${path(means[number]) ?? ''}" stroke-width="2.4"${dashes}/>`;
    return `<g fill="none" stroke="${colour}" stroke-linejoin="round">${seeds.join('')}${mean}</g>`;
  });
  const ends = means.map((mean) => y(mean.at(-1) ?? 0));
  const labelX = left + PANEL.width + 8;
  const labels = separateLabels(ends, LABEL_GAP, PANEL.top, PANEL.top + PANEL.height).map((at, number) => {
    const { colour, label } = curves[number];
    return `<text x="${labelX}" y="${rounded(at + 4)}" fill="${colour}" font-weight="600">${escaped(label)}</text>`;
  });
  const heading =
    `<text x="${left}" y="24" font-size="15" font-weight="600" fill="${TEXT_COLOUR}">${panels[index].title}</text>` +
    `<text x="${left}" y="42" fill="${TEXT_COLOUR}">${panels[index].note}</text>`;
  return [heading, axes(x, y, left, title), ...lines, ...labels].join('\n');
}

/** Computes centred moving means. The window is shorter at both ends. Values that are not finite are excluded. */
function smoothed(values: readonly number[], window: number): number[] {
  const reach = (window - 1) / 2;
  return values.map((_, at) => {
    const near = values.slice(Math.max(0, at - reach), at + reach + 1).filter(Number.isFinite);
    return near.reduce((sum, value) => sum + value, 0) / near.length;
  });
}

type Scale = ReturnType<typeof scaleLinear<number, number>>;

function axes(x: Scale, y: Scale, left: number, title: string): string {
  const bottom = PANEL.top + PANEL.height;
  const rows = y.ticks(5).map((value) => {
    const at = rounded(y(value));
    const rule = `<line x1="${left}" x2="${left + PANEL.width}" y1="${at}" y2="${at}" stroke="${TEXT_COLOUR}" opacity="${value === 0 ? 0.8 : 0.22}"/>`;
    return `${rule}<text x="${left - 8}" y="${rounded(at + 4)}" text-anchor="end" fill="${TEXT_COLOUR}">${value.toFixed(1)}</text>`;
  });
  const integers = x.ticks(6).filter(Number.isInteger);
  const columns = integers.map(
    (step) =>
      `<text x="${rounded(x(step))}" y="${bottom + 18}" text-anchor="middle" fill="${TEXT_COLOUR}">${step}</text>`,
  );
  const name = `<text x="${left + PANEL.width / 2}" y="${bottom + 36}" text-anchor="middle" fill="${TEXT_COLOUR}">${title}</text>`;
  return [...rows, ...columns, name].join('\n');
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

/**
 * Returns a figure as the text of an SVG file.
 * @param described title, and text alternative for screen readers
 * @param width width [px]
 * @param height height [px]
 */
export function svgDocument(
  { title, description }: { readonly title: string; readonly description: string },
  width: number,
  height: number,
  parts: readonly string[],
): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"
  aria-labelledby="title description" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif" font-size="12">
<title id="title">${escaped(title)}</title>
<desc id="description">${escaped(description)}</desc>
${parts.join('\n')}
</svg>
`;
}

/** Escapes a text for SVG. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

const SIZE = 260;
const LEFT = 56;
const TOP = 48;
const COLOUR = '#3b82d6';
/** Radius of the bin with the most pairs [px]. The areas of the discs are proportional to the numbers of pairs. */
const LARGEST = 16;
const TICKS = [0.5, 0.6, 0.7, 0.8, 0.9, 1];

/**
 * Draws the accuracy of a model on pairs over its confidence. Each bin is a disc whose area is proportional to the
 * number of pairs. A line shows a model whose confidence equals its accuracy.
 * @param bins bins of probabilities from 0.5 to 1
 */
export function calibrationSvg(title: string, bins: readonly CalibrationBin[]): string {
  const known = bins.filter(({ pairs }) => pairs > 0);
  const maximum = Math.max(...known.map(({ pairs }) => pairs));
  const least = Math.min(0.5, ...known.map(({ right }) => Math.floor(10 * right) / 10));
  const x = scaleLinear([0.5, 1], [LEFT, LEFT + SIZE]);
  const y = scaleLinear([least, 1], [TOP + SIZE, TOP]);
  const at = (value: number) => String(Math.round(10 * value) / 10);
  const descriptions = known.map(
    (bin) => `predicts ${two(bin.predicted)}, right in ${two(bin.right)} of ${bin.pairs} pairs`,
  );
  // The headings are wider than the plot.
  const [width, height] = [LEFT + SIZE + 84, TOP + SIZE + 52];
  const rows = y
    .ticks(Math.round(10 * (1 - least)))
    .map(
      (value) =>
        `<line x1="${LEFT}" x2="${LEFT + SIZE}" y1="${at(y(value))}" y2="${at(y(value))}" stroke="${TEXT_COLOUR}" opacity="0.22"/>` +
        `<text x="${LEFT - 8}" y="${at(y(value) + 4)}" text-anchor="end" fill="${TEXT_COLOUR}">${value.toFixed(1)}</text>`,
    );
  const columns = TICKS.map(
    (value) =>
      `<text x="${at(x(value))}" y="${TOP + SIZE + 18}" text-anchor="middle" fill="${TEXT_COLOUR}">${value.toFixed(1)}</text>`,
  );
  const discs = known.map(({ predicted, right, pairs }, index) => {
    const radius = Math.max(2, LARGEST * Math.sqrt(pairs / maximum));
    return (
      `<circle cx="${at(x(predicted))}" cy="${at(y(right))}" r="${at(radius)}" fill="${COLOUR}" fill-opacity="0.75">` +
      `<title>${descriptions[index]}</title></circle>`
    );
  });
  return svgDocument({ title, description: descriptions.join('; ') }, width, height, [
    `<text x="${LEFT}" y="20" font-size="14" font-weight="600" fill="${TEXT_COLOUR}">${escaped(title)}</text>`,
    `<text x="${LEFT}" y="36" fill="${TEXT_COLOUR}">share of pairs in the right order; area: number of pairs</text>`,
    ...[...rows, ...columns],
    `<line x1="${LEFT}" x2="${LEFT + SIZE}" y1="${at(y(0.5))}" y2="${at(y(1))}" stroke="${TEXT_COLOUR}" stroke-dasharray="4 3"/>`,
    ...discs,
    `<text x="${LEFT + SIZE / 2}" y="${TOP + SIZE + 40}" text-anchor="middle" fill="${TEXT_COLOUR}">predicted probability of the order</text>`,
  ]);
}

function two(value: number): string {
  return value.toFixed(2).replace(/^0/, '');
}
