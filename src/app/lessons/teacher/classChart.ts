import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { css, html, LitElement, svg } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { WidthController } from '../../drawing/drawing.ts';
import { base } from '../../look/styles.ts';
import { teacherStrings } from '../../strings/teacherStrings.ts';

const HEIGHT = 260;
const EDGE = { left: 48, right: 16, top: 10, bottom: 28 };

type Curve = readonly (number | null)[];

/** Chart of the first predictions of a class, their median, and the measured curve of each student. */
@customElement('tw-class-chart')
export class ClassChart extends LitElement {
  static override styles = [
    base,
    css`
      svg { display: block; width: 100%; overflow: visible; }
      text { font-family: inherit; font-size: 12px; fill: var(--ink-2); font-variant-numeric: tabular-nums; }
      .grid { stroke: var(--line); }
      path { fill: none; stroke-linejoin: round; stroke-linecap: round; }
      .predicted { stroke: var(--series-2); stroke-width: 1.5; opacity: 0.45; }
      .middle { stroke: var(--series-2); stroke-width: 3.5; stroke-dasharray: 8 5; }
      .result { stroke: var(--series-1); stroke-width: 1.75; opacity: 0.7; }
      ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 0.25rem 0 0; padding: 0; list-style: none; font-size: 0.8125rem; }
      li { display: inline-flex; gap: 0.4rem; align-items: center; }
      li svg { width: 26px; height: 8px; }
      @media (forced-colors: active) { path { stroke: CanvasText; } }
    `,
  ];

  /** Label of the predicted line. */
  @property() line = '';
  /** Predicted shares [students][points]. */
  @property({ attribute: false }) predictions: readonly Curve[] = [];
  /** Median of the predictions [points]. */
  @property({ attribute: false }) middle: Curve = [];
  /** Measured values of the predicted line [students][steps]. */
  @property({ attribute: false }) curves: readonly Curve[] = [];
  /** Number of updates of the run. */
  @property({ type: Number }) steps = 1;
  private readonly size = new WidthController(this);

  protected override render() {
    const texts = teacherStrings.class;
    const width = Math.max(EDGE.left + EDGE.right + 1, this.size.width);
    const x = scaleLinear([0, this.steps], [EDGE.left, width - EDGE.right]);
    const y = scaleLinear([0, 1], [HEIGHT - EDGE.bottom, EDGE.top]);
    const path = (curve: Curve, at: (index: number) => number) =>
      line<number | null>(
        (_, index) => x(at(index)),
        (value) => y(value ?? 0),
      )
        .defined((value) => value !== null)
        .digits(1)(curve) ?? '';
    const spaced = (curve: Curve) => (index: number) => (index / Math.max(1, curve.length - 1)) * this.steps;
    const drawn = (curve: Curve, name: string) => svg`<path class=${name} d=${path(curve, spaced(curve))}></path>`;
    return html`<svg role="img" aria-label=${texts.chart(this.predictions.length, this.line)} viewBox="0 0 ${width} ${HEIGHT}" height=${HEIGHT}>
        ${[0, 0.25, 0.5, 0.75, 1].map(
          (
            share,
          ) => svg`<line class="grid" x1=${EDGE.left} x2=${width - EDGE.right} y1=${y(share)} y2=${y(share)}></line>
            <text x=${EDGE.left - 6} y=${y(share) + 4} text-anchor="end">${100 * share}%</text>`,
        )}
        ${x.ticks(Math.max(2, Math.floor(width / 90))).map((step) => svg`<text x=${x(step)} y=${HEIGHT - 8} text-anchor="middle">${step}</text>`)}
        ${this.predictions.map((curve) => drawn(curve, 'predicted'))}
        ${this.curves.map((curve) => svg`<path class="result" d=${path(curve, (step) => step)}></path>`)}
        ${drawn(this.middle, 'middle')}
      </svg>
      <ul>${(['predicted', 'middle', 'result'] as const).map(
        (name) =>
          html`<li><svg viewBox="0 0 26 8" aria-hidden="true"><path class=${name} d="M1 4H25"></path></svg>${texts[name]}</li>`,
      )}</ul>`;
  }
}
