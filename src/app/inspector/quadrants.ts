import { css, html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Group } from '../../rollouts/forest.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { type CreditChoice, creditOf } from './choice.ts';
import { type Counts, type Quadrant, quadrants, type RolloutGraph } from './rolloutGraph.ts';
import { viewStyles } from './viewStyles.ts';

/** How often the signs of GRPO's and RTMC's advantages agree, and where they do not. */
@customElement('tw-quadrants')
export class Quadrants extends LitElement {
  static override styles = [
    base,
    viewStyles,
    css`
      table { width: 100%; max-width: 26rem; margin-top: 0.375rem; table-layout: fixed; }
      th { font-size: 0.75rem; }
      thead th { text-align: center; }
      tbody td { border: 1px solid var(--line-2); text-align: center; padding: 0.5rem 0.25rem; }
      td b { display: block; font-size: 0.8125rem; }
      td.rescued, td.penalised { background: var(--note-ground); border: 2px solid var(--note-line); }
      p { margin-top: 0.25rem; }
    `,
  ];

  @property({ attribute: false }) group!: Group;
  @property({ attribute: false }) choice!: CreditChoice;
  @property({ attribute: false }) rollouts: RolloutGraph['rollouts'] = [];

  protected override render() {
    const texts = inspectorStrings.quadrants;
    const [grpo, rtmc] = ['grpo-or', 'rtmc'].map((name) => creditOf(this.group, this.choice, name));
    if (!grpo?.credit || !rtmc?.credit) {
      return html`<p class="problem">${texts.unreadable(grpo?.problem ?? rtmc?.problem ?? '')}</p>`;
    }
    const counts = quadrants(this.group, this.rollouts, grpo.credit.advantage, rtmc.credit.advantage);
    const { solved, failed } = counts.neither;
    return html`
      <section role="group" aria-labelledby="title">
        <h3 id="title">${texts.title}</h3>
        <span class="caption">${texts.caption}</span>
        <table>
          <caption class="visually-hidden">${texts.title}</caption>
          <thead><tr><td></td><th scope="col">${texts.grpoLess}</th><th scope="col">${texts.grpoMore}</th></tr></thead>
          <tbody>
            <tr><th scope="row">${texts.rtmcMore}</th>${this.cell('rescued', counts)}${this.cell('both-more', counts)}</tr>
            <tr><th scope="row">${texts.rtmcLess}</th>${this.cell('both-less', counts)}${this.cell('penalised', counts)}</tr>
          </tbody>
        </table>
        <p class="caption number">${texts.neither(solved, failed)}</p>
      </section>
    `;
  }

  private cell(name: Quadrant, counts: Readonly<Record<Quadrant, Counts>>) {
    const texts = inspectorStrings.quadrants;
    const { solved, failed } = counts[name];
    return html`<td class=${name}>
      <b>${texts.names[name]}</b>
      <span class="number" aria-hidden="true">${texts.counts(solved, failed)}</span>
      <span class="visually-hidden">${texts.countsTold(solved, failed)}</span>
    </td>`;
  }
}
