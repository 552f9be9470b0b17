import { css, html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Group } from '../../rollouts/forest.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { type CreditChoice, creditOf } from './choice.ts';
import { type Counts, type Quadrant, quadrants, type RolloutGraph } from './rolloutGraph.ts';
import { viewStyles } from './viewStyles.ts';

/**
 * Table of steps by the signs of their advantages under GRPO with step rewards and under RTMC. The numbers are shares of
 * the steps of solved and failed rollouts.
 */
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
    const [grpo, rtmc] = ['grpo-step', 'rtmc'].map((name) => creditOf(this.group, this.choice, name));
    if (!grpo?.credit || !rtmc?.credit) {
      return html`<p class="problem">${texts.unreadable(grpo?.problem ?? rtmc?.problem ?? '')}</p>`;
    }
    const counts = quadrants(this.group, this.rollouts, grpo.credit.advantage, rtmc.credit.advantage);
    const all = total(Object.values(counts));
    return html`
      <section role="group" aria-labelledby="title">
        <h3 id="title">${texts.title}</h3>
        <span class="caption">${texts.caption}</span>
        <table>
          <caption class="visually-hidden">${texts.title}</caption>
          <thead><tr><td></td><th scope="col">${texts.grpoLess}</th><th scope="col">${texts.grpoMore}</th></tr></thead>
          <tbody>
            <tr><th scope="row">${texts.rtmcMore}</th>${this.cell(counts.rescued, all, 'rescued')}${this.cell(counts['both-more'], all, 'both-more')}</tr>
            <tr><th scope="row">${texts.rtmcLess}</th>${this.cell(counts['both-less'], all, 'both-less')}${this.cell(counts.penalised, all, 'penalised')}</tr>
          </tbody>
        </table>
        <p class="caption number">${texts.zeroShares(shareText(counts.neither.solved, all.solved), shareText(counts.neither.failed, all.failed))}</p>
      </section>
    `;
  }

  private cell(count: Counts, all: Counts, name: Quadrant) {
    const texts = inspectorStrings.quadrants;
    const [solved, failed] = [shareText(count.solved, all.solved), shareText(count.failed, all.failed)];
    return html`<td class=${name} title=${texts.countsText(count.solved, count.failed)}>
      <b>${texts.names[name]}</b>
      <span class="number" aria-hidden="true">${texts.counts(solved, failed)}</span>
      <span class="visually-hidden">${texts.sharesText(solved, failed)}</span>
    </td>`;
  }
}

function total(counts: readonly Counts[]): Counts {
  const sum = (name: keyof Counts) => counts.reduce((all, count) => all + count[name], 0);
  return { solved: sum('solved'), failed: sum('failed') };
}

/** Formats a share of steps in per cent. */
function shareText(steps: number, all: number): string {
  return all === 0 ? inspectorStrings.quadrants.none : `${Math.round((100 * steps) / all)} %`;
}
