import { html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { signed } from '../group/groupNumbers.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import type { RolloutGraph } from './rolloutGraph.ts';
import { viewStyles } from './viewStyles.ts';

const value = (number: number) =>
  number
    .toFixed(4)
    .replace(/^-(?=[0.]*$)/, '')
    .replace('-', '−');

/** Table of the numbers in the tree of states: one row per action. */
@customElement('tw-state-table')
export class StateTable extends LitElement {
  static override styles = [base, viewStyles];

  @property({ attribute: false }) graph!: RolloutGraph;

  protected override render() {
    const texts = inspectorStrings.states;
    const { states, edges } = this.graph;
    return html`<div class="scroll" tabindex="0" role="group" aria-label=${texts.title}>
      <table class="data">
        <thead><tr>${texts.heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
        <tbody>${edges.map(({ from, action, visits, q, advantage, solved, failed, to, ended }) => {
          const leads = to.map(({ state }) => texts.state(state));
          const ends = ended.solved + ended.failed > 0 ? [texts.end] : [];
          return html`<tr>
            <th scope="row" title=${states[from].state}>${texts.state(from)}</th><td class="code">${action}</td>
            <td class="n">${visits}</td><td class="n">${value(q)}</td><td class="n">${value(states[from].value)}</td>
            <td class="n">${signed(advantage, 4)}</td><td class="n">${solved}</td><td class="n">${failed}</td>
            <td>${[...leads, ...ends].join(', ')}</td>
          </tr>`;
        })}</tbody>
      </table>
    </div>`;
  }
}
