import { bisector } from 'd3-array';
import { html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import type { DownsampledUpdates, Metrics } from '../../training/data/protocol.ts';
import { indexByKey, VisibleController, WidthController } from '../drawing/drawing.ts';
import { download } from '../look/download.ts';
import { pageEvent } from '../look/pageEvent.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';
import { type ChartDefinition, namedLines, showValue } from './chartDefinitions.ts';
import type { Mark, StepBand } from './chartMarks.ts';
import { chartStyles } from './chartStyles.ts';
import { drawLines, type Frame } from './drawLines.ts';
import { readLastValue, readValueAt, type SeriesDefinition, updateOf } from './series.ts';

/** Time limit for drawing charts in one frame. A chart in progress is always completed. */
const FRAME_BUDGET_MS = 6;

const waiting: (() => void)[] = [];
let serving = false;

/**
 * Resolves in an animation frame that has time left. Charts wait for this promise before they draw, so that they do not
 * all draw in one long task. They draw in the order of their requests.
 */
function drawingTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (!serving) requestAnimationFrame(serve);
    serving = true;
  });
}

async function serve(): Promise<void> {
  const start = performance.now();
  do {
    waiting.shift()?.();
    // The chart draws in microtasks after the promise resolves. The loop waits for them to measure their time.
    for (let microtask = 0; microtask < 4; microtask += 1) await undefined;
  } while (waiting.length > 0 && performance.now() - start < FRAME_BUDGET_MS);
  serving = waiting.length > 0;
  if (serving) requestAnimationFrame(serve);
}

const nearest = bisector((row: Metrics) => row.step);

/** Minimum time between two drawings of a visible chart. Faster redraws do not help the reader. */
const REDRAW_EVERY_MS = 100;
/** Minimum time between two drawings of a chart out of view [ms]. */
const REDRAW_HIDDEN_MS = 2000;

/** Event of the cursor moving to a step, or leaving the chart (null). All charts show the same cursor. */
export class ChartCursorEvent extends pageEvent<number | null>('chart-cursor') {}

/**
 * Line chart with a legend of values, event marks and a table.
 * @fires chart-cursor when the cursor moves to another step or leaves the chart (ChartCursorEvent)
 */
@customElement('tw-line-chart')
export class LineChart extends LitElement {
  static override styles = [base, chartStyles];

  @property({ attribute: false }) chart!: ChartDefinition;
  @property({ attribute: false }) metrics: readonly Metrics[] = [];
  /** Downsampling of a long run: the updates that `metrics` leaves out. Undefined if `metrics` is complete. */
  @property({ attribute: false }) downsampled: DownsampledUpdates | undefined;
  @property({ attribute: false }) marks: readonly Mark[] = [];
  /** Areas of recorded runs behind the lines. */
  @property({ attribute: false }) bands: readonly StepBand[] = [];
  /** Returns a description of the run, for the SVG file. */
  @property({ attribute: false }) about: () => string = () => '';
  /** Number that changes with the contents of `metrics`, because that array grows in place. */
  @property({ type: Number }) revision = 0;
  /** Step of the shared cursor; null if there is no cursor. */
  @property({ type: Number }) cursor: number | null = null;
  @property({ type: Boolean, reflect: true }) large = false;
  /** True to hide the tools and the caption. */
  @property({ type: Boolean, reflect: true }) brief = false;
  /** True for a large chart in a low window. */
  @property({ type: Boolean, reflect: true }) low = false;
  /** Message of an empty chart. */
  @property() noPoint = '';
  @state() private isTableVisible = false;
  /** Error of the last attempt to save a file; empty if it succeeded. */
  @state() private notSaved = '';
  @query('.plot > svg') private svg!: SVGSVGElement;
  private frame: Frame | undefined;
  private drawnCursor: number | null = null;
  private drawnAt = -Infinity;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly size = new WidthController(this);
  private readonly visibility = new VisibleController(this);

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('beforeprint', this.print);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('beforeprint', this.print);
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Delays updates of growing curves to limit their rate. A moved cursor is drawn immediately. */
  protected override async scheduleUpdate(): Promise<void> {
    if (this.cursor === this.drawnCursor) {
      const wait = this.drawnAt + REDRAW_EVERY_MS - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      await drawingTurn();
    }
    super.scheduleUpdate();
  }

  protected override updated(_changed: PropertyValues): void {
    if (this.visibility.visible || this.isDue) this.draw();
    else if (this.metrics.length > 0) this.timer ??= setTimeout(this.print, REDRAW_HIDDEN_MS);
  }

  protected override render() {
    const { chart } = this;
    const texts = strings.charts;
    return html`
      <figure aria-labelledby="title">
        <figcaption>
          <h3 id="title">${chart.title}</h3>
          ${this.brief ? nothing : this.tools()}
        </figcaption>
        ${this.legend()}
        <div class="plot" @pointermove=${this.point} @pointerleave=${() => this.dispatchCursor(null)}>
          <svg role="img" aria-labelledby="name description" height=${this.height}>
            <title id="name">${chart.title}</title>
            <desc id="description">${this.description()}</desc>
          </svg>
          ${this.metrics.length === 0 ? html`<p class="empty caption"><span>${this.noPoint}</span></p>` : this.slider()}
        </div>
        ${this.downsampled ? html`<p class="downsampled caption number">${this.downsampledText(this.downsampled)}</p>` : nothing}
        ${this.notSaved ? html`<p class="caption" role="alert">${texts.notSaved(this.notSaved)}</p>` : nothing}
        ${
          this.isTableVisible
            ? html`<tw-chart-table .chart=${chart} .metrics=${this.metrics} .marks=${this.marks}
              .downsampled=${this.downsampled} .revision=${this.revision}>
              </tw-chart-table>`
            : nothing
        }
      </figure>
    `;
  }

  private tools() {
    const { chart } = this;
    const texts = strings.charts;
    return html`
      <span class="caption" title=${chart.caption}>${chart.caption}</span>
      <span class="tools">
        <button class="plain" aria-expanded=${this.isTableVisible} @click=${this.toggleTable}
          aria-label=${`${this.isTableVisible ? texts.hideTable : texts.table}: ${chart.title}`}>${texts.table}</button>
        <button class="plain" @click=${this.save} aria-label=${`${texts.svg}: ${chart.title}`}>${texts.svg}</button>
      </span>`;
  }

  private get height(): number {
    if (!this.large) return 118;
    return this.low ? 208 : this.size.width > 480 ? 310 : 240;
  }

  /** Index of the row at the cursor; undefined if there is no cursor. */
  private get cursorIndex(): number | undefined {
    if (this.cursor === null || this.metrics.length === 0) return undefined;
    const index = nearest.center(this.metrics, this.cursor);
    return index;
  }

  /** Renders the legend: swatch, name and present value of each line. */
  private legend() {
    const index = this.readIndex;
    const row = this.metrics[index];
    const { series: lines } = this.chart;
    // The title describes the only line of a chart, unless the chart has other lines for other settings.
    const single = lines.length === 1 && lines[0].when === undefined;
    return html`
      <ul class="legend">
        ${namedLines(this.chart).map(
          (series) => html`
            <li title=${series.label}>
              <svg class="swatch" width=${this.large ? 24 : 12} height="8" aria-hidden="true">
                <line x1="0" x2="24" y1="4" y2="4" style="stroke: var(${series.colour})"
                  stroke-dasharray=${series.dash || nothing} />
              </svg>
              ${single ? nothing : html`<span>${this.large ? series.label : series.short}</span>`}
              <b class="number">${this.valueAt(series, index)}</b>
            </li>`,
        )}
        ${this.bands.length > 0 ? html`<li class="muted">${strings.charts.recorded(this.bandedLine)}</li>` : nothing}
        ${
          this.cursorIndex === undefined
            ? nothing
            : html`<li class="muted number">
                ${row ? strings.charts.atUpdate(updateOf(row)) : nothing}
              </li>`
        }
      </ul>
    `;
  }

  /** Label of the line whose recorded range the areas show; undefined for the first line. */
  private get bandedLine(): string | undefined {
    const lines = namedLines(this.chart);
    const at = lines.findIndex(({ key }) => key === this.bands[0]?.line);
    return at > 0 ? lines[at]?.label : undefined;
  }

  /** Renders a slider over the steps. Screen readers pass arrow keys to the page only for this role. */
  private slider() {
    const row = this.metrics[this.readIndex];
    if (!row) return nothing;
    return html`<div class="reader" role="slider" tabindex="0" aria-label=${strings.charts.cursor(this.chart.title)}
      aria-valuemin=${updateOf(this.metrics[0] ?? row)} aria-valuemax=${updateOf(this.metrics.at(-1) ?? row)}
        aria-valuenow=${updateOf(row)}
      aria-valuetext=${`${strings.charts.atUpdate(updateOf(row))}: ${this.values(this.readIndex)}`}
      @keydown=${this.moveByKey} @blur=${() => this.dispatchCursor(null)}></div>`;
  }

  /** Index of the row in the legend: the row at the cursor, or the last row. -1 if there are no rows. */
  private get readIndex(): number {
    return this.cursorIndex ?? this.metrics.length - 1;
  }

  private valueAt(series: SeriesDefinition, index: number): string {
    if (index < 0) return strings.charts.noValue;
    const { metrics } = this;
    const last = this.cursorIndex === undefined && index === metrics.length - 1;
    return showValue(this.chart, last ? readLastValue(metrics, series) : readValueAt(metrics, series, index));
  }

  private values(index: number): string {
    return namedLines(this.chart)
      .map((series) => `${series.label} ${this.valueAt(series, index)}`)
      .join(', ');
  }

  private description(): string {
    const { chart, metrics, downsampled } = this;
    const last = metrics.at(-1);
    if (!last) return this.noPoint;
    const description = strings.charts.description(chart.title, updateOf(last), this.values(metrics.length - 1));
    return downsampled ? `${description} (${this.downsampledText(downsampled)})` : description;
  }

  private downsampledText({ every, before }: DownsampledUpdates): string {
    return strings.charts.downsampled(every, before);
  }

  /** True if a hidden chart must be drawn: at the first data, then rarely, because each drawing takes frame time. */
  private get isDue(): boolean {
    return this.metrics.length > 0 && performance.now() - this.drawnAt > REDRAW_HIDDEN_MS;
  }

  private print = (): void => {
    if (this.hasUpdated) this.draw();
  };

  private draw(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.drawnCursor = this.cursor;
    this.drawnAt = performance.now();
    const { width } = this.size;
    if (width === 0) return;
    const { chart, metrics, marks, bands, height, large, cursorIndex: cursor } = this;
    this.frame = drawLines(this.svg, { chart, metrics, marks, bands, width, height, large, cursor });
  }

  private point(event: PointerEvent): void {
    if (!this.frame) return;
    const { left } = this.svg.getBoundingClientRect();
    this.dispatchCursor(Math.max(0, Math.round(this.frame.x.invert(event.clientX - left)) - 1));
  }

  private moveByKey(event: KeyboardEvent): void {
    // After End or Escape, there is no cursor and the legend follows the run.
    const follows = event.key === 'End' || event.key === 'Escape';
    const { length } = this.metrics;
    const index = follows ? undefined : indexByKey(event, this.cursorIndex ?? length - 1, length);
    if (!follows && index === undefined) return;
    event.preventDefault();
    this.dispatchCursor(index === undefined ? null : (this.metrics[index]?.step ?? null));
  }

  private dispatchCursor(step: number | null): void {
    if (step !== this.cursor) this.dispatchEvent(new ChartCursorEvent(step));
  }

  private async toggleTable(): Promise<void> {
    // The table is not part of the first screen. deferredPanels.ts loads its code in advance.
    await import('./chartExports.ts');
    this.isTableVisible = !this.isTableVisible;
  }

  private async save(): Promise<void> {
    this.notSaved = '';
    try {
      // This code is not part of the first screen. deferredPanels.ts loads it in advance.
      const { chartFile } = await import('./chartExports.ts');
      download(`turnwise-${this.chart.id}.svg`, 'image/svg+xml', chartFile(this.svg, this.chart, this.about()));
    } catch (error) {
      this.notSaved = (error as Error).message;
    }
  }
}
