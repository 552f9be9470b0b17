import { css, html, LitElement, nothing, svg } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { comparedRule } from '../../environments/watchedTurns.ts';
import { type WhyMove, type WhyRow, type WhySpan, whyRows, whySpans } from '../../experiments/why.ts';
import { asUpdateNumbers, type RuleTitles, whyBrief, whySentences } from '../../experiments/whySentences.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentName } from '../../training/data/configuration.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { ruleTitle } from '../address/pageTables.ts';
import { digits, signed } from '../drawing/numbers.ts';
import { base } from '../look/styles.ts';
import { whyStrings } from '../strings/storyStrings.ts';

/** Maximum number of updates to describe. Older rewards do not represent the current policy. */
const MAX_UPDATES = 50;
/** Number of updates before the described ones that are read too, because the momentum of AdamW still includes them. */
const MOMENTUM_UPDATES = 40;

/**
 * Panel that explains a change of a skill by the credit of its turns. It describes the updates since the last change of
 * the rule in one line, in sentences and in a table.
 */
@customElement('tw-why')
export class WhyPanel extends LitElement {
  static override styles = [
    base,
    css`
      details { margin-top: 0.5rem; font-size: 0.875rem; }
      /* Constant height: the page below must not move during a press. */
      summary { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
      summary b { font-weight: 620; }
      summary span { color: var(--ink-2); font-variant-numeric: tabular-nums; }
      .said { min-height: 6rem; max-width: 62rem; margin-top: 0.5rem; }
      .said p + p { margin-top: 0.25rem; }
      .table { overflow-x: auto; margin-top: 0.5rem; }
      table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
      th, td { padding: 0.125rem 0.75rem 0.125rem 0; text-align: end; font-weight: 400; white-space: nowrap; }
      th:first-child { text-align: start; }
      tr.sum > * { font-weight: 620; padding-top: 0.375rem; }
      thead th { color: var(--ink-2); }
      /* Text wraps, so that the numbers fit next to it. */
      @media (max-width: 40rem) {
        th { white-space: normal; }
        tbody th { min-width: 5.5rem; overflow-wrap: anywhere; }
        th, td { padding-inline-end: 0.375rem; vertical-align: bottom; }
        table { font-size: 0.75rem; }
      }
    `,
  ];

  @property() environment: EnvironmentName = DEFAULT_ENVIRONMENT;
  @property({ attribute: false }) metrics: readonly Metrics[] = [];
  /** Number that changes with the metrics. Lit does not detect changes inside the list, which stays the same object. */
  @property({ type: Number }) revision = 0;
  @property({ type: Boolean, reflect: true }) open = false;

  protected override render() {
    const environment = ENVIRONMENTS[this.environment];
    const { watchedTurns, betas } = environment;
    const span = watchedTurns && whySpans({ watchedTurns, momentum: betas[0] }, latest(this.metrics)).at(-1);
    if (!watchedTurns || !span) return nothing;
    const brief = whyBrief(span).map(({ name, meanAdvantage }) =>
      whyStrings.part(name, Number.isNaN(meanAdvantage) ? whyStrings.noPay : signed(meanAdvantage)),
    );
    return html`<details @toggle=${this.toggle}>
      <summary><b>${whyStrings.title(environment.watched?.skill?.called ?? whyStrings.skill)}</b>
        <span>${brief.join(', ')}</span></summary>
      ${this.open ? this.describeSpan(span, watchedTurns.counted, comparedRule(environment, span.rule)) : nothing}
    </details>`;
  }

  private describeSpan(span: WhySpan, counted: string, compared: string) {
    const titles = { active: ruleTitle(span.rule), compared: ruleTitle(compared) };
    const { decided } = span;
    return html`<div class="said">
        ${whySentences(asUpdateNumbers(span), counted, titles).map((sentence) => html`<p>${sentence}</p>`)}
      </div>
      ${this.table(whyRows(span), counted, titles)}
      ${decided ? html`<tw-why-moves .moves=${decided.moves.slice(-MAX_UPDATES)}></tw-why-moves>` : nothing}`;
  }

  private table(rows: readonly WhyRow[], counted: string, titles: RuleTitles) {
    const texts = whyStrings;
    return html`<div class="table" tabindex="0" role="region" aria-label=${texts.table}>
      <table>
        <caption class="visually-hidden">${texts.table}</caption>
        <thead>
          <tr>
            <th scope="col">${texts.explanation}</th>
            <th scope="col">${counted}</th>
            <th scope="col">${texts.share}</th>
            <th scope="col">${texts.compared(titles.active)}</th>
            <th scope="col">${texts.compared(titles.compared)}</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ label, sum, count, share, meanAdvantage, compared }) => html`<tr class=${sum ? 'sum' : ''}>
              <th scope="row">${label}</th>
              <td>${count}</td>
              <td>${digits(share)}</td>
              <td>${count > 0 ? signed(meanAdvantage) : texts.none}</td>
              <td>${count > 0 ? signed(compared) : texts.none}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
  }

  private toggle(event: Event): void {
    this.open = (event.target as HTMLDetailsElement).open;
  }
}

/**
 * Returns at most MAX_UPDATES updates since the last change of the rule. If the change is among them, up to MOMENTUM_UPDATES
 * updates before the change are included.
 */
function latest(metrics: readonly Metrics[]): readonly Metrics[] {
  const rule = metrics.at(-1)?.rule;
  const begin = metrics.findLastIndex((row) => row.rule !== rule) + 1;
  const first = Math.max(begin, metrics.length - MAX_UPDATES);
  // In a longer span, the earlier updates are under the same rule, and the panel would describe them too.
  return metrics.slice(first === begin ? Math.max(0, begin - MOMENTUM_UPDATES) : first);
}

/** Width of a bar with its gap, half the height of a strip, and the gap between the strips [px]. */
const BAR = 9;
const HALF = 26;
const GAP = 10;

/**
 * Two strips with one bar per update: the predicted change of the watched probability, and below it the change that
 * followed.
 */
@customElement('tw-why-moves')
export class WhyMoves extends LitElement {
  static override styles = [
    base,
    css`
      h4 { margin: 0.75rem 0 0; font-size: 0.875rem; font-weight: 620; }
      .strips { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 0.75rem; align-items: center; margin-top: 0.375rem; }
      .names { display: grid; gap: 0.625rem; grid-auto-rows: 3.25rem; align-items: center; color: var(--ink-2); font-size: 0.75rem; }
      .scroll { overflow-x: auto; }
      svg { display: block; }
      line { stroke: var(--line-2); }
      .more { fill: var(--more); }
      .less { fill: var(--less); }
      .lost { opacity: 0.3; }
      .against { stroke: var(--ink); stroke-width: 1.5; }
      @media (max-width: 40rem) { .names { font-size: 0.6875rem; max-width: 4.5rem; } }
    `,
  ];

  @property({ attribute: false }) moves: readonly WhyMove[] = [];

  protected override render() {
    const texts = whyStrings.moves;
    const { moves } = this;
    const agreements = moves.flatMap(({ agrees }) => agrees ?? []);
    const width = Math.max(1, moves.length) * BAR;
    const label = texts.describe((moves[0]?.step ?? 0) + 1, (moves.at(-1)?.step ?? 0) + 1);
    return html`<h4>${texts.title}</h4>
      <p class="caption">${texts.caption(agreements.filter((same) => same).length, agreements.length)}</p>
      <div class="strips">
        <div class="names" aria-hidden="true"><span>${texts.predicted}</span><span>${texts.followed}</span></div>
        <div class="scroll" tabindex="0" role="region" aria-label=${texts.title}>
          <svg role="img" aria-label=${label} width=${width} height=${4 * HALF + GAP}>
            ${this.strip(({ move }) => move, HALF, width)} ${this.strip(({ change }) => change, 3 * HALF + GAP, width)}
          </svg>
        </div>
      </div>`;
  }

  /** @param middle y coordinate of the middle of the strip [px] */
  private strip(read: (move: WhyMove) => number, middle: number, width: number) {
    const largest = Math.max(...this.moves.map((move) => Math.abs(read(move))).filter(Number.isFinite), 1e-9);
    return svg`<line x1="0" x2=${width} y1=${middle} y2=${middle} />${this.moves.map((move, index) => {
      const value = read(move);
      if (!Number.isFinite(value)) return '';
      const height = Math.max(1, (Math.abs(value) / largest) * HALF);
      const style = `${value < 0 ? 'less' : 'more'} ${move.agrees === undefined ? 'lost' : move.agrees ? '' : 'against'}`;
      return svg`<rect class=${style} x=${index * BAR + 1} width=${BAR - 2} y=${value < 0 ? middle : middle - height}
        height=${height}><title>${whyStrings.moves.bar(move.step + 1, signed(move.move, 4), signed(move.change))}</title></rect>`;
    })}`;
  }
}
