import { svgFile } from '../drawing/svgFile.ts';
import { strings } from '../strings/strings.ts';
import type { ChartDefinition } from './chartDefinitions.ts';

/** Height of a line of text and approximate width of a character [px]. */
const LINE = 16;
const CHARACTER = 6;
const EDGE = 6;
/** Length of a line in the legend [px]. */
const SWATCH = 18;

/**
 * Returns a chart as an SVG file with its title, its caption, a description of the run and a label of the step axis.
 * The file has a legend if the lines have no labels at their ends.
 * @param about description of the run
 */
export function chartFile(svg: SVGSVGElement, chart: ChartDefinition, about: string): string {
  const legend = chart.series.length > 1 && svg.querySelector('.ends text') === null;
  return svgFile(svg, (copy) => {
    for (const text of copy.querySelectorAll('text')) if (!text.textContent) text.remove();
    const { width, height } = svg.viewBox.baseVal;
    const textColor = getComputedStyle(svg).getPropertyValue('color');
    const lines = [chart.caption, about].flatMap((text) => wrap(text, Math.floor((width - 2 * EDGE) / CHARACTER)));
    const texts = [
      ...wrap(chart.title, Math.floor((width - 2 * EDGE) / (CHARACTER + 2))).map((text) => ({ text, strong: true })),
      ...lines.map((text) => ({ text, strong: false })),
    ];
    const entries = legend ? legendOf(chart, width) : [];
    const rows = texts.length + (entries.at(-1)?.row ?? -1) + 1;
    const above = rows * LINE + EDGE;
    const add = (name: string, attributes: Readonly<Record<string, string | number>>, text = '') => {
      const element = document.createElementNS(copy.namespaceURI, name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
      element.textContent = text;
      copy.append(element);
    };
    texts.forEach(({ text, strong }, index) => {
      const y = (index + 1) * LINE - above;
      add(
        'text',
        { x: EDGE, y, fill: textColor, 'font-size': strong ? 14 : 11, 'font-weight': strong ? 700 : 400 },
        text,
      );
    });
    for (const { x, row, short, colour, dash } of entries) {
      const y = (texts.length + row + 1) * LINE - above;
      const stroke = getComputedStyle(document.documentElement).getPropertyValue(colour);
      const line = { x1: x, x2: x + SWATCH, y1: y - 4, y2: y - 4 };
      add('line', { ...line, stroke, 'stroke-width': 2, 'stroke-dasharray': dash || 'none' });
      add('text', { x: x + SWATCH + 4, y, fill: textColor, 'font-size': 11 }, short);
    }
    const bottom = height + LINE;
    add(
      'text',
      { x: width / 2, y: height + LINE - 5, fill: textColor, 'font-size': 11, 'text-anchor': 'middle' },
      strings.charts.steps,
    );
    copy.setAttribute('viewBox', `0 ${-above} ${width} ${above + bottom}`);
    copy.setAttribute('height', String(above + bottom));
  });
}

/** Returns the lines of a chart with their positions in a legend of this width [px]. */
function legendOf({ series }: ChartDefinition, width: number) {
  let x = EDGE;
  let row = 0;
  return series.map((line) => {
    const wide = SWATCH + 16 + line.short.length * CHARACTER;
    if (x > EDGE && x + wide > width - EDGE) {
      x = EDGE;
      row += 1;
    }
    x += wide;
    return { ...line, x: x - wide, row };
  });
}

/** Breaks a text between words into lines of at most `limit` characters. A longer word gets its own line. */
export function wrap(text: string, limit: number): string[] {
  const lines: string[] = [];
  for (const part of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + part.length <= limit) lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(part);
  }
  return lines;
}
