import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { TruthReport } from '../../training/data/truthReport.ts';
import { ruleTitle } from '../address/pageTables.ts';
import { viewStyles } from '../drawing/figures.ts';
import { plain } from '../drawing/numbers.ts';
import { base } from '../look/styles.ts';
import { truthStrings } from '../strings/truthStrings.ts';
import { describeReport, tableOf } from './report.ts';
import './truthScatter.ts';

/**
 * Result of a measurement: an explanation, a scatter plot of the turns, and a table that compares the rules.
 * @slot buttons for the result
 */
@customElement('tw-truth-result')
export class TruthResult extends LitElement {
  static override styles = [
    base,
    viewStyles,
    css`
      :host { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.875rem; }
      .head { display: flex; gap: 0.5rem 1rem; align-items: start; justify-content: space-between; flex-wrap: wrap; }
      .about { flex: 1 1 18rem; font-size: 0.875rem; overflow-wrap: anywhere; }
      .description ul { margin: 0.25rem 0 0; padding-inline-start: 1.125rem; font-size: 0.875rem; }
      .description li + li { margin-top: 0.125rem; }
      table { margin-top: 0.25rem; font-variant-numeric: tabular-nums; max-width: 60rem; }
      thead th { border-bottom: 1px solid var(--line-2); }
      tbody th { color: var(--ink); }
      tbody tr:first-child > * { padding-bottom: 0; vertical-align: top; }
      .meaning { padding-top: 0; border-bottom: 1px solid var(--line); color: var(--ink-2); font-size: 0.75rem; }
      /* The sentences of a table stay visible while it scrolls sideways. */
      .scroll { container-type: inline-size; }
      .meaning span { display: block; position: sticky; inset-inline-start: 0.25rem; max-width: calc(100cqi - 1rem); }
      @media (max-width: 480px) { td, th { padding-inline: 0.25rem; } }
    `,
  ];

  @property({ attribute: false }) report!: TruthReport;
  /** Sentence that describes the source of the result. */
  @property() from = '';

  protected override render() {
    const { report } = this;
    return html`
      ${this.about()}
      ${this.renderNotes()}
      <tw-truth-scatter .report=${report}></tw-truth-scatter>
      ${this.table()}
    `;
  }

  private about() {
    const { about, form } = truthStrings;
    const { groups, histories, continuations, plan, selectedGroup } = this.report;
    const count = groups.reduce((sum, { turns }) => sum + turns.length, 0);
    const partly = selectedGroup && count < selectedGroup.turns;
    const turns = partly ? about.partly(count, selectedGroup.turns) : about.turns(count, groups.length);
    const { kind, gamma } = plan.counts;
    const discount = gamma === 1 ? about.undiscounted : about.discounted(plain(gamma));
    const rejected = selectedGroup?.refused ?? [];
    return html`<div class="head"><p class="about">
      ${this.from} ${continuations === 0 ? about.exact(turns, histories) : about.counted(turns, histories, continuations)} ${about.return(form.returns[kind], discount)}
      ${selectedGroup && selectedGroup.policyStep !== selectedGroup.step ? about.policyNote(selectedGroup.policyStep) : nothing}
      ${rejected.map(({ rule, problem }) => html` ${form.cannot(ruleTitle(rule), problem)}.`)}
    </p><slot></slot></div>`;
  }

  private renderNotes() {
    return html`<section class="description" role="group" aria-labelledby="description">
      <h3 id="description">${truthStrings.texts.title}</h3>
      <ul>${describeReport(this.report).map((line) => html`<li>${line}</li>`)}</ul>
    </section>`;
  }

  private table() {
    const texts = truthStrings.table;
    const { heads, rows } = tableOf(this.report);
    return html`<section role="group" aria-labelledby="table">
      <h3 id="table">${texts.title}</h3>
      <div class="scroll" tabindex="0" role="group" aria-labelledby="table">
        <table>
          <thead><tr>
            <th scope="col">${texts.measure}</th>${heads.map((head) => html`<th scope="col">${head}</th>`)}
          </tr></thead>
          ${rows.map(
            ({ measure, meaning, cells }) => html`<tbody>
              <tr><th scope="row">${measure}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
              <tr><td class="meaning" colspan=${heads.length + 1}><span>${meaning}</span></td></tr>
            </tbody>`,
          )}
        </table>
      </div>
    </section>`;
  }
}
