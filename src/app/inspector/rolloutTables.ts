import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Group } from '../../rollouts/forest.ts';
import { dataTable, viewStyles } from '../drawing/figures.ts';
import { digits, shadeClass, shadeStyle, signed } from '../drawing/numbers.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { type CreditChoice, creditOf, type RuleOutcome, TurnEvent } from './choice.ts';
import { actionText, type Inspected } from './inspected.ts';
import { type Counts, type Quadrant, quadrants, type RolloutGraph } from './rolloutGraph.ts';
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
    const label = actionText(this.inspected, turn);
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

/** Table of the numbers in the tree of states: one row per action. */
@customElement('tw-state-table')
export class StateTable extends LitElement {
  static override styles = [base, viewStyles];

  @property({ attribute: false }) graph!: RolloutGraph;

  protected override render() {
    const texts = inspectorStrings.states;
    const { states, edges } = this.graph;
    return dataTable(
      texts.title,
      texts.heads,
      edges.map(({ from, action, visits, q, advantage, solved, failed, to, ended }) => {
        const leads = to.map(({ state }) => texts.state(state));
        const ends = ended.solved + ended.failed > 0 ? [texts.end] : [];
        return html`<tr>
            <th scope="row" title=${states[from].state}>${texts.state(from)}</th><td class="code">${action}</td>
            <td class="n">${visits}</td><td class="n">${digits(q, 4)}</td><td class="n">${digits(states[from].value, 4)}</td>
            <td class="n">${signed(advantage, 4)}</td><td class="n">${solved}</td><td class="n">${failed}</td>
            <td>${[...leads, ...ends].join(', ')}</td>
          </tr>`;
      }),
    );
  }
}
