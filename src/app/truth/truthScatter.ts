import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { css, html, LitElement, nothing, type PropertyValues, svg } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { groupNumber } from '../../rollouts/rolloutBatch.ts';
import type { Estimate, TruthReport } from '../../training/data/truthReport.ts';
import { ruleTitle } from '../address/pageTables.ts';
import { indexByKey, WidthController } from '../drawing/drawing.ts';
import { drawingTools, viewStyles } from '../drawing/figures.ts';
import { correlationText, plain, two } from '../drawing/numbers.ts';
import { base } from '../look/styles.ts';
import { truthStrings } from '../strings/truthStrings.ts';
import {
  cloudOf,
  compareSigns,
  hasVaryingAdvantages,
  type Point,
  pointsOf,
  type RuleCloud,
  type SignComparison,
  truthExtent,
} from './report.ts';

/** Draws the mark of a turn. Its shape and colour show the comparison of the rule with the measured advantage. */
function mark(result: SignComparison, x: number, y: number) {
  if (result === 'right') return svg`<circle class="right" cx=${x} cy=${y} r="4"></circle>`;
  if (result === 'wrong') return svg`<path class="wrong" d="M${x - 4},${y - 4}l8,8M${x - 4},${y + 4}l8,-8"></path>`;
  if (result === 'silent') return svg`<rect class="silent" x=${x - 3.5} y=${y - 3.5} width="7" height="7"></rect>`;
  return svg`<circle class="unclear" cx=${x} cy=${y} r="2.5"></circle>`;
}

/** Styles of the scatter plot. */
const scatterStyles = css`
  :host { min-width: 0; }
  .drawing { position: relative; overflow: hidden; }
  .reader { position: absolute; inset: 4px; cursor: crosshair; touch-action: pan-y; }
  .wrongArea { fill: color-mix(in srgb, var(--series-2) 9%, transparent); }
  .zero { stroke: var(--line-2); }
  .bar { stroke: var(--ink-3); stroke-width: 1; opacity: 0.55; }
  .fit { stroke: var(--ink-2); stroke-width: 1.5; stroke-dasharray: 5 3; }
  .right { fill: var(--series-1); stroke: var(--surface); stroke-width: 1; }
  .wrong { fill: none; stroke: var(--series-2); stroke-width: 2.25; }
  .silent { fill: var(--surface); stroke: var(--series-3); stroke-width: 2; }
  .unclear { fill: var(--surface); stroke: var(--ink-3); stroke-width: 1.25; }
  .ring { fill: none; stroke: var(--ink); stroke-width: 1.75; }
  svg .head { font-weight: 620; font-size: 12px; }
  .description { margin-top: 0.375rem; min-height: 2.6em; font-size: 0.8125rem; overflow-wrap: anywhere; }
`;

/** Minimum width, height and margins of the plot of one rule [CSS px]. */
const LEAST = 230;
const HEIGHT = 230;
const MARGIN = { top: 34, right: 12, bottom: 40, left: 40 };
/** Maximum number of points with error bars. More error bars hide the points. */
const MAX_BARS = 250;
/** Maximum distance between the pointer and the point that it selects [CSS px]. */
const REACH = 40;

/** Plot of one rule, with its position in the figure [CSS px] and its scales. */
interface Pane {
  readonly cloud: RuleCloud;
  readonly left: number;
  readonly top: number;
  readonly x: ScaleLinear<number, number>;
  readonly y: ScaleLinear<number, number>;
}

/**
 * Scatter plots of a measurement, one per rule. Each plot shows the rule's advantages over the measured advantages of
 * the turns. All plots share one selected turn.
 */
@customElement('tw-truth-scatter')
export class TruthScatter extends LitElement {
  static override styles = [base, viewStyles, scatterStyles];

  @property({ attribute: false }) report!: TruthReport;
  @state() isTableVisible = false;
  /** Index of the selected turn; -1 if no turn is selected. */
  @state() private active = -1;
  private points: readonly Point[] = [];
  private panes: readonly Pane[] = [];
  private readonly size = new WidthController(this);

  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has('report')) return;
    const before = this.points[this.active];
    this.points = pointsOf(this.report);
    // The selection stays on the same turn while its measurement becomes more precise.
    this.active = this.points.findIndex(
      ({ group, forestTurn }) => before && group === before.group && forestTurn === before.forestTurn,
    );
  }

  protected override render() {
    const texts = truthStrings.scatter;
    const width = Math.max(LEAST, this.size.width - 8);
    const columns = Math.max(1, Math.min(this.report.rules.length, Math.floor(width / LEAST)));
    const rows = Math.ceil(this.report.rules.length / columns);
    this.panes = this.layoutPanes(width / columns, columns);
    return html`
      <figure aria-labelledby="title">
        <figcaption>
          <h3 id="title">${texts.title}</h3>${drawingTools(this, texts.title, 'turnwise-truth.svg')}
          <span class="caption">${this.points.length > MAX_BARS ? texts.captionMany : texts.caption}</span>
        </figcaption>
        <div class="drawing">${
          this.size.width > 0
            ? html`<svg role="img" aria-label=${this.description()} width=${width} height=${rows * HEIGHT}
                  viewBox="0 0 ${width} ${rows * HEIGHT}">${this.panes.map((pane) => this.pane(pane))}</svg>
                ${this.reader()}`
            : nothing
        }</div>
        ${this.key()}
        <p class="description number">${this.describeScatter()}</p>
        ${this.isTableVisible ? html`<tw-truth-turns .report=${this.report}></tw-truth-turns>` : nothing}
      </figure>
    `;
  }

  private description(): string {
    const { points, report } = this;
    return truthStrings.scatter.description(points.length, report.plan.rules.map(ruleTitle).join(', '));
  }

  private layoutPanes(width: number, columns: number): Pane[] {
    const extent = truthExtent(this.points);
    return this.report.rules.map(({ rule }, index) => {
      const cloud = cloudOf(this.points, rule);
      const [left, top] = [(index % columns) * width, Math.floor(index / columns) * HEIGHT];
      const maximum = cloud.maximum || 1;
      return {
        cloud,
        left,
        top,
        x: scaleLinear(extent, [left + MARGIN.left, left + width - MARGIN.right]),
        y: scaleLinear([-1.08 * maximum, 1.08 * maximum], [top + HEIGHT - MARGIN.bottom, top + MARGIN.top]),
      };
    });
  }

  private pane({ cloud, left, x, y }: Pane) {
    const texts = truthStrings.scatter;
    const { rule, maximum, fit } = cloud;
    const [west, east] = x.range() as [number, number];
    const [south, north] = y.range() as [number, number];
    const [zeroX, zeroY] = [x(0), y(0)];
    const { correlation } = this.report.rules.find((entry) => entry.rule === rule) ?? {};
    const [low, high] = x.domain() as [number, number];
    const bars = this.points.length <= MAX_BARS;
    const active = this.points[this.active];
    return svg`<g aria-hidden="true">
      <rect class="wrongArea" x=${west} y=${north} width=${Math.max(0, zeroX - west)} height=${zeroY - north}></rect>
      <rect class="wrongArea" x=${zeroX} y=${zeroY} width=${Math.max(0, east - zeroX)} height=${south - zeroY}></rect>
      <text class="head" x=${left + 4} y=${north - 20}>${ruleTitle(rule)}</text>
      <text class="quiet" x=${east} y=${north - 20} text-anchor="end">${
        hasVaryingAdvantages(this.report, rule)
          ? correlation
            ? `r ${correlationText(correlation)}`
            : ''
          : texts.noDeviation
      }</text>
      <line class="zero" x1=${zeroX} x2=${zeroX} y1=${north} y2=${south}></line>
      <line class="zero" x1=${west} x2=${east} y1=${zeroY} y2=${zeroY}></line>
      ${x.ticks(4).map((tick) => svg`<text class="quiet" x=${x(tick)} y=${south + 14} text-anchor="middle">${plain(tick)}</text>`)}
      ${y.ticks(4).map((tick) => svg`<text class="quiet" x=${west - 5} y=${y(tick) + 4} text-anchor="end">${plain(tick)}</text>`)}
      <text class="quiet" x=${(west + east) / 2} y=${south + 30} text-anchor="middle">${texts.truth}</text>
      ${maximum === 0 ? svg`<text class="quiet" x=${(west + east) / 2} y=${north + 16} text-anchor="middle">${texts.allZero}</text>` : nothing}
      ${
        fit
          ? svg`<line class="fit" x1=${x(low)} x2=${x(high)} y1=${y(fit.intercept + fit.slope * low)}
              y2=${y(fit.intercept + fit.slope * high)}></line>`
          : nothing
      }
      ${bars ? this.points.map((point) => this.bar(point, rule, x, y)) : nothing}
      ${this.points.map((point) => {
        const value = point.rules[rule] ?? null;
        return value === null ? nothing : mark(compareSigns(point, rule), x(point.advantage.mean), y(value));
      })}
      ${active ? this.ring(active, rule, x, y) : nothing}
    </g>`;
  }

  private bar({ advantage, rules }: Point, rule: string, x: Pane['x'], y: Pane['y']) {
    const value = rules[rule] ?? null;
    if (value === null) return nothing;
    const { mean, error } = advantage;
    return svg`<line class="bar" x1=${x(mean - error)} x2=${x(mean + error)} y1=${y(value)} y2=${y(value)}></line>`;
  }

  private ring(point: Point, rule: string, x: Pane['x'], y: Pane['y']) {
    const value = point.rules[rule] ?? null;
    return value === null
      ? nothing
      : svg`<circle class="ring cursor" cx=${x(point.advantage.mean)} cy=${y(value)} r="8"></circle>`;
  }

  /** Renders a slider over the turns. Screen readers pass arrow keys to the page only for this role. */
  private reader() {
    const texts = truthStrings.scatter;
    return html`<div class="reader" role="slider" tabindex="0" aria-label=${texts.reader} aria-valuemin="1"
      aria-valuemax=${this.points.length} aria-valuenow=${this.active + 1} aria-valuetext=${this.describeScatter()}
      @pointermove=${this.point} @pointerdown=${this.point} @keydown=${this.move}></div>`;
  }

  private describeScatter(): string {
    const texts = truthStrings.scatter;
    const point = this.points[this.active];
    if (!point) return texts.point;
    const { group, rollout, turn, summary, advantage, before, after, reward, rules } = point;
    const many = this.report.groups.length > 1;
    const values = this.report.plan.rules.map((rule) => {
      const value = rules[rule] ?? null;
      return texts.ruleAdvantage(ruleTitle(rule), value === null ? texts.results.pruned : two(value));
    });
    const { gamma } = this.report.plan.counts;
    return [
      texts.turn(many ? groupNumber(group) : undefined, rollout + 1, turn + 1, summary),
      [texts.measured(two(advantage.mean), two(advantage.error)), ...values].join(', '),
      texts.values(two(before.mean), two(reward + gamma * (after?.mean ?? 0))),
    ].join(' · ');
  }

  private key() {
    const texts = truthStrings.scatter;
    const results: readonly SignComparison[] = ['right', 'wrong', 'silent', 'unclear'];
    return html`<ul class="key">
      ${results.map(
        (result) =>
          html`<li><svg width="16" height="14" aria-hidden="true">${mark(result, 8, 7)}</svg>${
            texts.results[result]
          }</li>`,
      )}
      <li><svg width="18" height="14" aria-hidden="true"><line class="fit" x1="0" x2="18" y1="7" y2="7"></line></svg>${texts.fit}</li>
      <li><svg width="16" height="14" aria-hidden="true"><rect class="wrongArea" width="16" height="14"></rect></svg>${texts.wrongArea}</li>
    </ul>`;
  }

  private point(event: PointerEvent): void {
    const { left, top } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const [atX, atY] = [event.clientX - left, event.clientY - top];
    let [best, nearest] = [REACH, -1];
    for (const { cloud, x, y } of this.panes) {
      this.points.forEach(({ advantage, rules }, index) => {
        const value = rules[cloud.rule] ?? null;
        const distance = value === null ? Infinity : Math.hypot(x(advantage.mean) - atX, y(value) - atY);
        if (distance < best) [best, nearest] = [distance, index];
      });
    }
    if (nearest >= 0) this.active = nearest;
  }

  private move(event: KeyboardEvent): void {
    const index = indexByKey(event, this.active, this.points.length);
    if (index === undefined) return;
    event.preventDefault();
    this.active = index;
  }
}

/** Maximum number of rows, to keep the table readable. The exported file has all rows. */
const MAX_ROWS = 200;

const withError = ({ mean, error }: Estimate) => `${two(mean)} ± ${two(error)}`;

/** Table with the values of all turns of a measurement, in the order of sampling. */
@customElement('tw-truth-turns')
export class TruthTurns extends LitElement {
  static override styles = [
    base,
    viewStyles,
    css`
      .scroll { max-height: 22rem; border: 1px solid var(--line); border-radius: 6px; margin-top: 0.5rem; }
      table.data caption { padding: 0.25rem 0.4rem; }
      thead th { position: sticky; top: 0; background: var(--surface); }
      tbody th { min-width: 11rem; font-weight: 400; color: var(--ink); }
    `,
  ];

  @property({ attribute: false }) report!: TruthReport;

  protected override render() {
    const texts = truthStrings.data;
    const { groups, plan } = this.report;
    const all = groups.flatMap(({ turns }, group) => turns.map((turn) => ({ group, ...turn })));
    const many = groups.length > 1;
    const heads = [texts.turn, texts.explanation, texts.before, texts.reward, texts.after, texts.measured];
    return html`<div class="scroll" tabindex="0" role="group" aria-label=${texts.turns}>
      <table class="data">
        <caption>${texts.turns}${all.length > MAX_ROWS ? html`. ${texts.more(MAX_ROWS, all.length)}` : nothing}</caption>
        <thead><tr>
          ${[...(many ? [texts.group] : []), texts.rollout, ...heads, ...plan.rules.map(ruleTitle)].map(
            (head) => html`<th scope="col">${head}</th>`,
          )}
        </tr></thead>
        <tbody>${all.slice(0, MAX_ROWS).map(
          ({ group, rollout, turn, summary, before, reward, after, advantage, rules }) => html`<tr>
            ${many ? html`<td>${groupNumber(group)}</td>` : nothing}
            <td>${rollout + 1}</td><td>${turn + 1}</td><th scope="row">${summary}</th>
            <td class="n">${withError(before)}</td><td class="n">${two(reward)}</td>
            <td class="n">${after ? withError(after) : truthStrings.table.none}</td>
            <td class="n">${withError(advantage)}</td>
            ${plan.rules.map((rule) => html`<td class="n">${two(rules[rule] ?? Number.NaN)}</td>`)}
          </tr>`,
        )}</tbody>
      </table>
    </div>`;
  }
}
