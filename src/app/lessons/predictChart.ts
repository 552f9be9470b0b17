import { axisBottom, axisLeft } from 'd3-axis';
import { scaleLinear } from 'd3-scale';
import { select } from 'd3-selection';
import { line } from 'd3-shape';
import { css, html, LitElement, nothing, svg } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import {
  EMPTY_PREDICTION,
  nudge,
  POINTS,
  type Prediction,
  type StrokePoint,
  stepOf,
  stroke,
} from '../../lessons/prediction.ts';
import { WidthController } from '../drawing/drawing.ts';
import { base } from '../look/styles.ts';
import { lessonStrings } from '../strings/lessonStrings.ts';

const HEIGHT = 240;
const EDGE = { left: 44, right: 16, top: 22, bottom: 26 };
/** Change of a value by an arrow key, as a share. Page Up and Page Down change it by five times this value. */
const NUDGE = 0.05;

/** Event with the prediction after a change. */
export class PredictEvent extends CustomEvent<Prediction> {
  constructor(prediction: Prediction) {
    super('predict', { detail: prediction, bubbles: true, composed: true });
  }
}

/**
 * Chart in which the user draws the predicted curve with the pointer or with keys.
 * @fires predict after each change of the curve (PredictEvent)
 */
@customElement('tw-predict-chart')
export class PredictChart extends LitElement {
  static override styles = [
    base,
    css`
      .plot { position: relative; touch-action: pan-y; cursor: crosshair; border: 1px solid var(--line); border-radius: 8px;
        background: var(--surface); user-select: none; }
      svg { display: block; width: 100%; overflow: visible; }
      text { font-family: inherit; font-size: 12px; fill: var(--ink-2); font-variant-numeric: tabular-nums; }
      .domain { stroke: var(--line-2); }
      .tick line, .grid { stroke: var(--line); }
      .curve { fill: none; stroke: var(--series-2); stroke-width: 3; stroke-linejoin: round; stroke-linecap: round; stroke-dasharray: 7 5; }
      circle { fill: var(--surface); stroke: var(--series-2); stroke-width: 2; }
      .point { outline: none; }
      .point:focus-visible circle { fill: var(--series-2); stroke: var(--focus); stroke-width: 4; }
      .mark { stroke: var(--ink); stroke-width: 1.25; }
      .mark-text { fill: var(--ink); font-weight: 600; }
      .empty { font-size: 15px; text-anchor: middle; }
      @media (forced-colors: active) { .curve, circle { stroke: CanvasText; } }
    `,
  ];

  /** Number of updates of the run. */
  @property({ type: Number }) steps = 60;
  /** Label of the predicted line, for the accessible name of the chart. */
  @property() line = '';
  @property({ attribute: false }) prediction: Prediction = EMPTY_PREDICTION;
  /** Scheduled changes of the run, which are marked by vertical lines. */
  @property({ attribute: false }) marks: readonly { readonly step: number; readonly label: string }[] = [];
  /** Index of the point that is in the tab order. */
  @state() private current = 0;
  @query('svg') private svg!: SVGSVGElement;
  private last: StrokePoint | undefined;
  private readonly size = new WidthController(this);

  protected override render() {
    const texts = lessonStrings.predict;
    const { x, y } = this.scales;
    const drawn = this.prediction.flatMap((value, point) => (value === null ? [] : [[point, value] as const]));
    const path = line<readonly [number, number]>(
      ([point]) => x(stepOf(point, this.steps)),
      ([, value]) => y(value),
    ).digits(1);
    const width = Math.max(1, this.size.width);
    return html`<div class="plot" @pointerdown=${this.begin} @pointermove=${this.draw} @pointerup=${this.end} @pointercancel=${this.end}>
      <svg role="group" aria-label=${texts.chart(this.line)} viewBox="0 0 ${width} ${HEIGHT}" height=${HEIGHT}>
        <g class="axis-x" transform="translate(0,${HEIGHT - EDGE.bottom})"></g>
        <g class="axis-y" transform="translate(${EDGE.left},0)"></g>
        ${this.marks.map(({ step, label }) => this.mark(step, label))}
        ${drawn.length === 0 ? svg`<text class="empty" x=${(EDGE.left + width) / 2} y=${HEIGHT / 3}>${texts.empty}</text>` : nothing}
        <path class="curve" d=${path(drawn) ?? ''}></path>
        ${this.prediction.map((value, point) => this.point(value, point))}
      </svg>
    </div>`;
  }

  private mark(step: number, label: string) {
    const { x } = this.scales;
    return svg`<line class="mark" x1=${x(step)} x2=${x(step)} y1=${EDGE.top - 6} y2=${HEIGHT - EDGE.bottom}></line>
      <text class="mark-text" x=${x(step) + 4} y=${EDGE.top - 8}>${label}</text>`;
  }

  private point(value: number | null, point: number) {
    const texts = lessonStrings.predict;
    const { x, y } = this.scales;
    const step = stepOf(point, this.steps);
    const [at, height] = [x(step), y(value ?? 0.5)];
    return svg`<g class="point" role="slider" tabindex=${point === this.current ? 0 : -1} data-point=${point}
      aria-label=${texts.point(step)} aria-valuemin="0" aria-valuemax="100" aria-valuenow=${Math.round(100 * (value ?? 0.5))}
      aria-valuetext=${value === null ? texts.empty : texts.value(value)} @keydown=${this.key} @focus=${() => (this.current = point)}>
      <circle cx=${at} cy=${height} r="5" opacity=${value === null ? 0.35 : 1}></circle></g>`;
  }

  protected override updated(): void {
    const { x, y } = this.scales;
    const across = axisBottom(x)
      .ticks(Math.max(2, Math.floor(this.size.width / 75)))
      .tickSizeOuter(0);
    const up = axisLeft<number>(y)
      .ticks(5)
      .tickSize(-(this.size.width - EDGE.left - EDGE.right))
      .tickFormat((value) => `${100 * value}%`);
    const drawing = select(this.svg);
    drawing.select<SVGGElement>('.axis-x').call(across).attr('font-size', null).attr('font-family', null);
    drawing.select<SVGGElement>('.axis-y').call(up).attr('font-size', null).attr('font-family', null);
  }

  private get scales() {
    const width = Math.max(EDGE.left + EDGE.right + 1, this.size.width);
    return {
      x: scaleLinear([0, this.steps], [EDGE.left, width - EDGE.right]),
      y: scaleLinear([0, 1], [HEIGHT - EDGE.bottom, EDGE.top]),
    };
  }

  private begin = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    this.last = undefined;
    this.stroke(event);
  };

  private draw = (event: PointerEvent): void => {
    if (this.last) this.stroke(event);
  };

  private end = (): void => {
    this.last = undefined;
  };

  private stroke({ clientX, clientY }: PointerEvent): void {
    const { left, top } = this.svg.getBoundingClientRect();
    const { x, y } = this.scales;
    const at = Math.min(POINTS - 1, Math.max(0, (x.invert(clientX - left) / this.steps) * (POINTS - 1)));
    const to = { at, value: y.invert(clientY - top) };
    this.setPrediction(stroke(this.prediction, this.last, to));
    this.last = to;
  }

  private key = (event: KeyboardEvent): void => {
    const by = { ArrowUp: NUDGE, ArrowDown: -NUDGE, PageUp: 5 * NUDGE, PageDown: -5 * NUDGE }[event.key];
    const to = { ArrowLeft: this.current - 1, ArrowRight: this.current + 1, Home: 0, End: POINTS - 1 }[event.key];
    if (by === undefined && to === undefined) return;
    event.preventDefault();
    if (by !== undefined) this.setPrediction(nudge(this.prediction, this.current, by));
    if (to !== undefined) this.go(Math.min(POINTS - 1, Math.max(0, to)));
  };

  private go(point: number): void {
    this.current = point;
    this.svg.querySelector<SVGGElement>(`[data-point="${point}"]`)?.focus();
  }

  private setPrediction(prediction: Prediction): void {
    this.prediction = prediction;
    this.dispatchEvent(new PredictEvent(prediction));
  }
}
