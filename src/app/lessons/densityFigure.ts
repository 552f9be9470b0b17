import { scaleLinear } from 'd3-scale';
import { css, html, LitElement, svg } from 'lit';
import { customElement } from 'lit/decorators.js';
import type { DensityPoint, SeedMean } from '../../experiments/truth/density.ts';
import { WidthController } from '../drawing/drawing.ts';
import { base } from '../look/styles.ts';
import { densityStrings as texts } from '../strings/lessonStrings.ts';
import points from './figures/decisionDensity.json' with { type: 'json' };

const HEIGHT = 300;
const EDGE = { left: 44, right: 16, top: 14, bottom: 40 };
const TICKS = { x: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6], y: [0.2, 0.4, 0.6, 0.8] };
/**
 * Densities at which the upper limit, the square root of the density, is computed. The curve starts at the lower edge.
 */
const CURVE = Array.from({ length: 57 }, (_, index) => 0.04 + index / 100);

const share = ({ mean }: SeedMean) => `${Math.round(100 * mean)} %`;
const decimal = ({ mean }: SeedMean) => mean.toFixed(2);

/**
 * Figure of the correlation between GRPO-OR and the true advantages in Search, by decision density. See
 * docs/reference/decision-density.md.
 */
@customElement('tw-density-figure')
export class DensityFigure extends LitElement {
  static override styles = [
    base,
    css`
      :host { display: block; margin-top: 1.5rem; }
      figure { margin: 0; }
      svg { display: block; width: 100%; margin-top: 0.5rem; overflow: visible; }
      text { font-family: inherit; font-size: 12px; fill: var(--ink-2); font-variant-numeric: tabular-nums; }
      .tick { stroke: var(--line); }
      .limit { fill: none; stroke: var(--ink-2); stroke-width: 1.5; stroke-dasharray: 5 3; }
      .range { stroke: var(--series-1); stroke-width: 1.25; opacity: 0.55; }
      circle { fill: var(--series-1); stroke: var(--surface); stroke-width: 1.5; }
      .name { fill: var(--ink); }
    `,
  ];

  private readonly size = new WidthController(this);

  protected override render() {
    const width = Math.max(1, this.size.width);
    const x = scaleLinear([0, 0.6], [EDGE.left, width - EDGE.right]);
    const y = scaleLinear([0.2, 0.9], [HEIGHT - EDGE.bottom, EDGE.top]);
    const limit = CURVE.map((density) => `${x(density).toFixed(1)},${y(Math.sqrt(density)).toFixed(1)}`).join(' ');
    return html`<figure>
      <h2>${texts.title}</h2>
      <p class="caption">${texts.lead}</p>
      <svg role="img" aria-label=${this.description()} viewBox="0 0 ${width} ${HEIGHT}" height=${HEIGHT}>
        ${TICKS.y.map(
          (tick) => svg`<line class="tick" x1=${EDGE.left} x2=${width - EDGE.right} y1=${y(tick)} y2=${y(tick)}></line>
            <text x=${EDGE.left - 6} y=${y(tick) + 4} text-anchor="end">${tick}</text>`,
        )}
        ${TICKS.x.map((tick) => svg`<text x=${x(tick)} y=${HEIGHT - EDGE.bottom + 16} text-anchor="middle">${Math.round(100 * tick)}%</text>`)}
        <text x=${(EDGE.left + width - EDGE.right) / 2} y=${HEIGHT - 6} text-anchor="middle">${texts.across}</text>
        <polyline class="limit" points=${limit}></polyline>
        <text x=${x(0.08) + 10} y=${y(0.26)}>${texts.limit}</text>
        ${(points as readonly DensityPoint[]).map((point, index) => {
          const { density, correlation } = point;
          const isLeft = point.hops > 1;
          const at = correlation['grpo-or'];
          const [left, top] = [x(density.mean), y(at.mean)];
          return svg`<line class="range" x1=${left} x2=${left} y1=${y(at.mean - at.half)} y2=${y(at.mean + at.half)}></line>
            <line class="range" x1=${x(density.mean - density.half)} x2=${x(density.mean + density.half)} y1=${top} y2=${top}></line>
            <circle cx=${left} cy=${top} r="4.5"></circle>
            <text class="name" x=${left + (isLeft ? -6 : 6)} y=${top + (index % 2 === 0 ? -6 : 15)} text-anchor=${isLeft ? 'end' : 'start'}>${point.maxTurns}·${point.hops}</text>`;
        })}
      </svg>
      <figcaption class="caption">${texts.up}. ${texts.note}</figcaption>
    </figure>`;
  }

  private description(): string {
    const values = (points as readonly DensityPoint[]).map(({ maxTurns, hops, density, correlation }) =>
      texts.point(texts.label(maxTurns, hops), share(density), decimal(correlation['grpo-or'])),
    );
    return `${texts.title}. ${values.join('; ')}`;
  }
}
