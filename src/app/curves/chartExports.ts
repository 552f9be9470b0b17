import { css, html, LitElement, type PropertyValues } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { DownsampledUpdates, Metrics } from '../../training/data/protocol.ts';
import { svgFile } from '../drawing/svgFile.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';
import { type ChartDefinition, showValue } from './chartDefinitions.ts';
import type { Mark } from './chartMarks.ts';
import { metricOf, updateOf } from './series.ts';

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

/** Maximum number of rows, to keep the table readable. The exported file has all rows. */
const MAX_ROWS = 60;

/** Minimum time between two updates of the table, so that it stays readable during training. */
const UPDATE_EVERY_MS = 1500;

/** Table with the values of a chart. */
@customElement('tw-chart-table')
export class ChartTable extends LitElement {
  static override styles = [
    base,
    css`
      .scroll { max-height: 16rem; overflow: auto; border: 1px solid var(--line); border-radius: 6px;
        margin-top: 0.5rem; }
      table { width: 100%; font-variant-numeric: tabular-nums; }
      caption { text-align: start; padding: 0.375rem 0.5rem; color: var(--ink-2); font-size: 0.75rem; }
      thead th { position: sticky; top: 0; background: var(--surface); box-shadow: 0 1px 0 var(--line-2); }
      td, th { text-align: end; font-size: 0.75rem; padding: 0.15rem 0.5rem; }
      td:last-child, th:last-child { text-align: start; }
      tbody tr:nth-child(even) { background: var(--hover); }
    `,
  ];

  @property({ attribute: false }) chart!: ChartDefinition;
  @property({ attribute: false }) metrics: readonly Metrics[] = [];
  /** Downsampling of a long run: the updates that `metrics` leaves out. Undefined if `metrics` is complete. */
  @property({ attribute: false }) downsampled: DownsampledUpdates | undefined;
  @property({ attribute: false }) marks: readonly Mark[] = [];
  @property({ type: Number }) revision = 0;
  private rendered = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  protected override shouldUpdate(_changed: PropertyValues): boolean {
    const wait = this.rendered + UPDATE_EVERY_MS - performance.now();
    if (wait <= 0 || this.rendered === 0) return true;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.requestUpdate();
    }, wait);
    return false;
  }

  protected override render() {
    this.rendered = performance.now();
    const { indices, every } = everyKth(this.metrics.length, MAX_ROWS);
    const texts = strings.charts;
    const { chart, downsampled } = this;
    const caption = downsampled
      ? texts.tableDownsampled(chart.title, downsampled.every, downsampled.before)
      : texts.tableCaption(chart.title, every);
    return html`
      <div class="scroll" tabindex="0" role="group" aria-label=${caption}>
        <table>
          <caption>${caption}</caption>
          <thead>
            <tr>
              <th scope="col">${texts.steps}</th>
              ${this.chart.series.map(({ label }) => html`<th scope="col">${label}</th>`)}
              <th scope="col">${texts.event}</th>
            </tr>
          </thead>
          <tbody>${indices.map((index, at) => this.row(index, indices[at + 1]))}</tbody>
        </table>
      </div>
    `;
  }

  /** Renders a row with the marks before the next row. @param next index of the row below, if there is one */
  private row(index: number, next: number | undefined) {
    const row = this.metrics[index];
    if (!row) return html``;
    const end = next === undefined ? Number.POSITIVE_INFINITY : (this.metrics[next]?.step ?? Number.POSITIVE_INFINITY);
    const marks = this.marks.filter((mark) => mark.step >= row.step && mark.step < end);
    return html`<tr>
      <th scope="row">${updateOf(row)}</th>
      ${this.chart.series.map(({ key }) => html`<td>${showValue(this.chart, metricOf(row, key))}</td>`)}
      <td>${marks.map((mark) => mark.text).join('; ')}</td>
    </tr>`;
  }
}

/** Returns every k-th index, with k chosen for about `limit` rows. The last index is always included. */
export function everyKth(length: number, limit: number): { indices: number[]; every: number } {
  const every = Math.max(1, Math.ceil(length / limit));
  const indices: number[] = [];
  for (let index = 0; index < length; index += every) indices.push(index);
  if (length > 0 && indices.at(-1) !== length - 1) indices.push(length - 1);
  return { indices, every };
}
