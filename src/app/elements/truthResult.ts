import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { TruthReport } from '../../training/truthReport.ts';
import { plain } from '../group/numbers.ts';
import { viewStyles } from '../inspector/viewStyles.ts';
import { strings } from '../strings.ts';
import { base } from '../styles.ts';
import { ruleTitle } from '../tables.ts';
import { tableOf, told } from '../truth/told.ts';
import './truthScatter.ts';

/** What was measured: the turns, how close each rule comes, and how to read it. */
@customElement('tw-truth-result')
export class TruthResult extends LitElement {
  static override styles = [
    base,
    viewStyles,
    css`
      :host { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.875rem; margin-top: 0.875rem; }
      .about { font-size: 0.875rem; overflow-wrap: anywhere; }
      .told ul { margin: 0.25rem 0 0; padding-inline-start: 1.125rem; font-size: 0.875rem; }
      .told li + li { margin-top: 0.125rem; }
      table { margin-top: 0.25rem; font-variant-numeric: tabular-nums; }
      tbody td, tbody th, thead th { border-bottom: 1px solid var(--line); white-space: nowrap; }
      tbody th { color: var(--ink); }
      dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.25rem 0.75rem; margin: 0.375rem 0 0; }
      dt { font-weight: 600; color: var(--ink-2); }
      dd { margin: 0; max-width: 46rem; }
      @media (max-width: 480px) { dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin-bottom: 0.375rem; } }
    `,
  ];

  @property({ attribute: false }) report!: TruthReport;
  /** Where it comes from, in a sentence. */
  @property() from = '';

  protected override render() {
    const { report } = this;
    return html`
      ${this.about()}
      ${this.told()}
      <tw-truth-scatter .report=${report}></tw-truth-scatter>
      ${this.table()}
      ${this.reading()}
    `;
  }

  private about() {
    const { about, form } = strings.truth;
    const { groups, histories, continuations, plan, shown } = this.report;
    const count = groups.reduce((sum, { turns }) => sum + turns.length, 0);
    const partly = shown && count < shown.turns;
    const turns = partly ? about.partly(count, shown.turns) : about.turns(count, groups.length);
    const { kind, gamma } = plan.counts;
    const discount = gamma === 1 ? about.undiscounted : about.discounted(plain(gamma));
    const refused = shown?.refused ?? [];
    return html`<p class="about">
      ${this.from} ${about.counted(turns, histories, continuations)} ${about.return(form.returns[kind], discount)}
      ${shown && shown.policyStep !== shown.step ? about.later(shown.policyStep) : nothing}
      ${refused.map(({ rule, problem }) => html` ${form.cannot(ruleTitle(rule), problem)}.`)}
    </p>`;
  }

  private told() {
    return html`<section class="told" aria-labelledby="told">
      <h3 id="told">${strings.truth.told.title}</h3>
      <ul>${told(this.report).map((line) => html`<li>${line}</li>`)}</ul>
    </section>`;
  }

  private table() {
    const texts = strings.truth.table;
    const { rows, columns } = tableOf(this.report);
    return html`<section aria-labelledby="table">
      <h3 id="table">${texts.title}</h3>
      <div class="scroll" tabindex="0" role="region" aria-labelledby="table">
        <table>
          <thead><tr><th scope="col">${texts.rule}</th>${columns.map(({ head }) => html`<th scope="col">${head}</th>`)}</tr></thead>
          <tbody>${rows.map(
            (row, index) => html`<tr>
              <th scope="row" title=${row === texts.truth ? texts.truthLong : nothing}>${row}</th>
              ${columns.map(({ cells }) => html`<td>${cells[index]}</td>`)}
            </tr>`,
          )}</tbody>
        </table>
      </div>
    </section>`;
  }

  private reading() {
    const texts = strings.truth.reading;
    return html`<details>
      <summary>${texts.title}</summary>
      <dl>${texts.list.map(([name, meaning]) => html`<dt>${name}</dt><dd>${meaning}</dd>`)}</dl>
    </details>`;
  }
}
