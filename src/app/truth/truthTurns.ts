import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { groupNumber } from '../../rollouts/rolloutBatch.ts';
import type { Estimate, TruthReport } from '../../training/data/truthReport.ts';
import { ruleTitle } from '../address/pageTables.ts';
import { viewStyles } from '../inspector/viewStyles.ts';
import { base } from '../look/styles.ts';
import { truthStrings } from '../strings/truthStrings.ts';
import { two } from './truthNumbers.ts';

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
