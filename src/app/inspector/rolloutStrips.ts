import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { signed } from '../group/groupNumbers.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { type CreditChoice, creditOf, type RuleOutcome } from './choice.ts';
import type { Inspected } from './inspected.ts';
import { TurnEvent } from './inspectorEvents.ts';
import type { RolloutGraph } from './rolloutGraph.ts';
import { shadeClass, shadeStyle } from './shading.ts';
import { viewStyles } from './viewStyles.ts';
import './turnView.ts';

/** Advantages that an update used, with the title of the rule that computed them. */
export interface UsedAdvantages {
  readonly title: string;
  /** [turns] */
  readonly advantages: readonly number[];
}

const RULES = ['grpo-or', 'grpo-step', 'rtmc'] as const;

/**
 * Tables of rollouts with the advantages of each step under GRPO, under GRPO on the returns of the steps, and under
 * RTMC. The open step is shown in its rollout.
 * @fires turn-choice when a step is opened or closed (TurnEvent)
 */
@customElement('tw-rollout-strips')
export class RolloutStrips extends LitElement {
  static override styles = [
    base,
    viewStyles,
    css`
      .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); gap: 0.75rem;
        margin-top: 0.5rem; align-items: start; }
      /* The browser skips the layout of cards outside the viewport: groups of a run arrive often. */
      .card { border: 1px solid var(--line); border-radius: 8px; padding: 0.5rem 0.625rem; min-width: 0;
        content-visibility: auto; contain-intrinsic-size: auto 14rem; }
      .card.open { grid-column: 1 / -1; }
      .card.open .halves { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr));
        gap: 0.75rem 1.25rem; align-items: start; }
      h4 { margin: 0 0 0.25rem; }
      table { width: 100%; table-layout: fixed; }
      col.a { width: 3.5rem; }
      td, th { font-size: 0.71875rem; padding: 0.1rem 0.2rem; }
      td.n { text-align: end; font-variant-numeric: tabular-nums; }
      th.n { text-align: end; }
      td button.plain { justify-content: start; width: 100%; min-height: 1.375rem; padding: 0 0.125rem; font-size: 0.75rem;
        text-align: start; font-weight: 400; overflow: hidden; }
      button span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
      tr.chosen { background: var(--hover); box-shadow: inset 3px 0 0 var(--accent); }
      tr.edge:not(.chosen) { box-shadow: inset 3px 0 0 var(--line-2); }
      .head { display: flex; justify-content: space-between; gap: 0.5rem; align-items: start; }
      @media (max-width: 400px) { col.a { width: 2.5rem; } td, th { padding-inline: 0.1rem; } }
    `,
  ];

  @property({ attribute: false }) inspected!: Inspected;
  @property({ attribute: false }) choice!: CreditChoice;
  @property({ attribute: false }) rollouts: RolloutGraph['rollouts'] = [];
  @property({ type: Number }) turn: number | undefined;
  /** Turns that took the highlighted action. */
  @property({ attribute: false }) marked: readonly number[] = [];
  @property({ attribute: false }) formula = true;
  /** Advantages that the update of a run used, as an additional column; undefined if the column is not needed. */
  @property({ attribute: false }) used: UsedAdvantages | undefined;

  /** Delays the update to a separate task, because an update in the same task as the drawing above can drop frames. */
  protected override async scheduleUpdate(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve));
    super.scheduleUpdate();
  }

  protected override render() {
    const texts = inspectorStrings.strips;
    const outcomes = RULES.map((name) => creditOf(this.inspected.group, this.choice, name));
    return html`
      <section role="group" aria-labelledby="title">
        <h3 id="title">${texts.title}</h3>
        <span class="caption">${texts.caption}${
          this.used ? ` ${inspectorStrings.scored.used(this.used.title)}` : ''
        }</span>
        <div class="cards">${this.rollouts.map((path, rollout) => this.card(path, rollout, outcomes))}</div>
      </section>
    `;
  }

  private card(path: readonly number[], rollout: number, outcomes: readonly RuleOutcome[]) {
    const texts = inspectorStrings.strips;
    const { turns } = this.inspected.group;
    const solved = turns[path.at(-1) ?? 0].solved === true;
    const open = this.turn !== undefined && path.includes(this.turn);
    const title = texts.rollout(rollout + 1, solved ? texts.solved : texts.failed);
    return html`<div class="card ${open ? 'open' : ''}">
      <div class="head"><h4>${title}</h4>${
        open
          ? html`<button class="small" @click=${() => this.dispatchEvent(new TurnEvent(undefined))}>${texts.close}</button>`
          : nothing
      }</div>
      <div class="halves">
        <table>
          <caption class="visually-hidden">${title}</caption>
          <colgroup><col /><col class="a" /><col class="a" /><col class="a" />${
            this.used ? html`<col class="a" />` : nothing
          }</colgroup>
          <thead><tr>
            <th scope="col">${texts.action}</th><th scope="col" class="n">${texts.grpo}</th>
            <th scope="col" class="n">${texts.grpoStep}</th><th scope="col" class="n">${texts.rtmc}</th>
            ${this.used ? html`<th scope="col" class="n">${this.used.title}</th>` : nothing}
          </tr></thead>
          <tbody>${path.map((turn, step) => this.row(turn, step, outcomes))}</tbody>
        </table>
        ${
          open
            ? html`<tw-turn rule="rtmc" .inspected=${this.inspected} .choice=${this.choice} .turn=${this.turn}
                .formula=${this.formula}></tw-turn>`
            : nothing
        }
      </div>
    </div>`;
  }

  private row(turn: number, step: number, outcomes: readonly RuleOutcome[]) {
    const { group, details } = this.inspected;
    const label = details[turn]?.tool?.call ?? group.turns[turn].action ?? '';
    const chosen = turn === this.turn;
    const style = `${chosen ? 'chosen' : ''} ${this.marked.includes(turn) ? 'edge' : ''}`;
    const open = () => this.dispatchEvent(new TurnEvent(chosen ? undefined : turn));
    return html`<tr class=${style}>
      <td><button class="plain" aria-expanded=${chosen} title=${label} aria-label=${inspectorStrings.strips.open(step + 1, label)}
        data-turn=${turn} @click=${open}><span>${step + 1} ${label}</span></button></td>
      ${outcomes.map(({ credit, problem }) => {
        if (!credit) return html`<td class="n" title=${problem ?? ''}>–</td>`;
        return this.cell(credit.advantage[turn]);
      })}
      ${this.used ? this.cell(this.used.advantages[turn]) : nothing}
    </tr>`;
  }

  private cell(A: number) {
    return html`<td class="n"><span class="shade ${shadeClass(A)}" style=${shadeStyle(A)}>${signed(A)}</span></td>`;
  }
}
