import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { separateLabels } from '../../experiments/separateLabels.ts';
import { meanSeries } from '../../experiments/statistics.ts';

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
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}" role="img"
  aria-labelledby="title description" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif" font-size="12">
<title id="title">${escaped(drawing.title)}</title>
<desc id="description">${escaped(drawing.description)}</desc>
${parts.join('\n')}
</svg>
`;
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

/** Escapes a text for SVG. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
