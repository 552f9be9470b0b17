import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { comparedRule } from '../../environments/decision.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { inSentence, type Paid, type WhyRow, whyRows, whySentences, whySpans } from '../../experiments/why.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentName } from '../../training/data/configuration.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { ruleTitle } from '../address/pageTables.ts';
import { digits, signed } from '../group/groupNumbers.ts';
import { base } from '../look/styles.ts';
import { whyStrings } from '../strings/whyStrings.ts';
import './whyMoves.ts';

/** Updates that are told of, at most: what was paid long ago says little of now. */
const TOLD = 50;
/** Updates before them, which AdamW may still carry on. */
const CARRIED = 40;

/** What the token that decides was paid since the last change of the rule, in one line, in sentences and in a table. */
@customElement('tw-why')
export class WhyPanel extends LitElement {
  static override styles = [
    base,
    css`
      details { margin-top: 0.75rem; font-size: 0.875rem; }
      /* Whatever it says, it keeps its height: what stands below must not move while somebody presses it. */
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
    `,
  ];

  @property() environment: EnvironmentName = DEFAULT_ENVIRONMENT;
  @property({ attribute: false }) metrics: readonly Metrics[] = [];
  /** Grows with the metrics, which are always the same list. */
  @property({ type: Number }) revision = 0;
  @state() private open = false;

  protected override render() {
    const environment = ENVIRONMENTS[this.environment];
    const { decision, betas } = environment;
    const span = decision && whySpans({ decision, momentum: betas[0] }, latest(this.metrics)).at(-1);
    if (!decision || !span) return nothing;
    const told = ({ rollouts, paid }: Paid) => (rollouts > 0 ? signed(paid) : whyStrings.noPay);
    return html`<details @toggle=${this.toggle}>
      <summary><b>${whyStrings.title}</b>
        <span>${whyStrings.brief(decision.taken, told(span.taken), inSentence(decision.left), told(span.left))}</span></summary>
      ${
        this.open
          ? html`<div class="said">
                ${whySentences(decision, span, ruleTitle(span.rule)).map((sentence) => html`<p>${sentence}</p>`)}
              </div>
              ${this.table(whyRows(decision, span), span.rule, comparedRule(environment, span.rule))}
              <tw-why-moves .moves=${span.moves.slice(-TOLD)}></tw-why-moves>`
          : nothing
      }
    </details>`;
  }

  private table(rows: readonly WhyRow[], rule: string, compared: string) {
    const texts = whyStrings;
    return html`<div class="table" tabindex="0" role="region" aria-label=${texts.table}>
      <table>
        <caption class="visually-hidden">${texts.table}</caption>
        <thead>
          <tr>
            <th scope="col">${texts.what}</th>
            <th scope="col">${texts.share}</th>
            <th scope="col">${texts.compared(ruleTitle(rule))}</th>
            <th scope="col">${texts.compared(ruleTitle(compared))}</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ label, sum, share, rollouts, paid, other }) => html`<tr class=${sum ? 'sum' : ''}>
              <th scope="row">${label}</th>
              <td>${digits(share)}</td>
              <td>${rollouts > 0 ? signed(paid) : texts.none}</td>
              <td>${rollouts > 0 ? signed(other) : texts.none}</td>
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

/** The updates since the last change of the rule, as far as they are told of, and those before that still count. */
function latest(metrics: readonly Metrics[]): readonly Metrics[] {
  const rule = metrics.at(-1)?.rule;
  const begin = metrics.findLastIndex((row) => row.rule !== rule) + 1;
  const first = Math.max(begin, metrics.length - TOLD);
  // Of a long span under one rule, the updates before the told ones would be told of too.
  return metrics.slice(first === begin ? Math.max(0, begin - CARRIED) : first);
}
