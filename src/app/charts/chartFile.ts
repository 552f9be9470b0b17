import { strings } from '../strings.ts';
import type { ChartDefinition } from './definitions.ts';
import { svgFile } from './svgFile.ts';

/** Pixels of a line of text, and the width of a character, near enough. */
const LINE = 16;
const CHARACTER = 6;
const EDGE = 6;

/**
 * A chart as a file that says what it shows: its title and what its values are, the run, its axis of steps, and a legend
 * where the lines have no labels at their ends.
 * @param about the run in words
 */
export function chartFile(svg: SVGSVGElement, chart: ChartDefinition, about: string): string {
  const legend = chart.series.length > 1 && svg.querySelector('.ends text') === null;
  return svgFile(svg, (copy) => {
    for (const text of copy.querySelectorAll('text')) if (!text.textContent) text.remove();
    const { width, height } = svg.viewBox.baseVal;
    const ink = getComputedStyle(svg).getPropertyValue('color');
    const lines = [chart.caption, about].flatMap((text) => wrap(text, Math.floor((width - 2 * EDGE) / CHARACTER)));
    const texts = [
      ...wrap(chart.title, Math.floor((width - 2 * EDGE) / (CHARACTER + 2))).map((text) => ({ text, strong: true })),
      ...lines.map((text) => ({ text, strong: false })),
    ];
    const rows = texts.length + (legend ? 1 : 0);
    const above = rows * LINE + EDGE;
    const add = (name: string, attributes: Readonly<Record<string, string | number>>, text = '') => {
      const element = document.createElementNS(copy.namespaceURI, name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
      element.textContent = text;
      copy.append(element);
    };
    texts.forEach(({ text, strong }, index) => {
      const y = (index + 1) * LINE - above;
      add('text', { x: EDGE, y, fill: ink, 'font-size': strong ? 14 : 11, 'font-weight': strong ? 700 : 400 }, text);
    });
    if (legend) {
      let x = EDGE;
      for (const { short, colour, dash } of chart.series) {
        const y = rows * LINE - above;
        const stroke = getComputedStyle(document.documentElement).getPropertyValue(colour);
        add('line', {
          x1: x,
          x2: x + 18,
          y1: y - 4,
          y2: y - 4,
          stroke,
          'stroke-width': 2,
          'stroke-dasharray': dash || 'none',
        });
        add('text', { x: x + 22, y, fill: ink, 'font-size': 11 }, short);
        x += 34 + short.length * CHARACTER;
      }
    }
    const bottom = height + LINE;
    add(
      'text',
      { x: width / 2, y: height + LINE - 5, fill: ink, 'font-size': 11, 'text-anchor': 'middle' },
      strings.charts.steps,
    );
    copy.setAttribute('viewBox', `0 ${-above} ${width} ${above + bottom}`);
    copy.setAttribute('height', String(above + bottom));
  });
}

/** Breaks a text into lines of at most so many characters, between words. */
export function wrap(text: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
