import { css, html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { map } from 'lit/directives/map.js';
import { range } from 'lit/directives/range.js';
import type { GroupView, RolloutView, TurnView } from '../../training/data/protocol.ts';
import { creditsTokens, ruleTitle } from '../address/pageTables.ts';
import { FULL, isCut, plain, shade, signed } from '../drawing/numbers.ts';
import { pageEvent } from '../look/pageEvent.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';
import { turnCount } from './advantageRanges.ts';

/** Styles of the group table. On narrow screens each row becomes a card, so that the table does not scroll sideways. */
const tableStyles = css`
  table { width: 100%; table-layout: auto; font-size: 0.8125rem; }
  thead th { border-bottom: 1px solid var(--line-2); vertical-align: bottom; }
  td, tbody th { border-bottom: 1px solid var(--line); vertical-align: top; padding: 0.3rem 0.5rem; }
  td, .value { font-variant-numeric: tabular-nums; }
  small { color: var(--ink-2); font-size: 0.6875rem; line-height: 1.3; }
  .index { width: 2rem; padding-inline: 0.125rem; text-align: center; }
  .index button { min-width: 1.75rem; font-weight: 600; font-size: 0.8125rem; }
  .words { width: 20%; overflow-wrap: anywhere; line-height: 1.35; }
  .reward small { display: block; }
  .reward { min-width: 5.5rem; }
  .reward.parts { width: 20%; }
  .credit { width: 8.75rem; }
  .key { margin-top: 0.5rem; font-size: 0.75rem; color: var(--ink-2); }
  .credit .value { display: flex; align-items: center; gap: 0.375rem; }
  .credit b { min-width: 3rem; text-align: end; }
  .credit small { display: block; min-width: 3rem; width: 3rem; text-align: end; white-space: nowrap; }
  .bar { position: relative; flex: 1 1 auto; height: 0.625rem; min-width: 1.5rem; border-inline-start: 0; background:
    linear-gradient(var(--ink-3), var(--ink-3)) center / 1px 100% no-repeat; }
  .bar i { position: absolute; top: 0.0625rem; bottom: 0.0625rem; width: calc(var(--share) * 50%); }
  .bar .more { left: 50%; background: var(--more); }
  .bar .less { right: 50%; background: repeating-linear-gradient(90deg, var(--less) 0 2px, transparent 2px 3px); }
  /* A bar that exceeds the scale ends in an arrow: the shape is visible in any colour. */
  .bar .cut { top: 0; bottom: 0; clip-path: polygon(0 0, 55% 0, 100% 50%, 55% 100%, 0 100%); }
  .bar .less.cut { clip-path: polygon(100% 0, 45% 0, 0 50%, 45% 100%, 100% 100%); }
  tbody tr { cursor: pointer; }
  tbody tr:hover { background: var(--hover); }
  tr.chosen { background: var(--hover); box-shadow: inset 3px 0 0 var(--accent); }
  tr.chosen .index button { color: var(--accent); }

  @media (max-width: 760px) {
    table, tbody { display: block; }
    thead { position: absolute; clip-path: inset(50%); height: 1px; width: 1px; overflow: hidden; }
    tbody tr {
      display: grid; grid-template-columns: 2rem repeat(2, minmax(0, 1fr)); gap: 0 0.5rem; padding: 0.375rem 0;
      border-bottom: 1px solid var(--line-2);
    }
    td, tbody th { display: block; border: 0; padding: 0.125rem 0; width: auto; }
    .index { grid-row: 1 / span 9; width: auto; }
    td.words, td.credit, td.reward, td.reward.parts { width: auto; min-width: 0; }
    .words, .reward { grid-column: 2 / -1; }
    td::before { content: attr(data-label) ' '; font-size: 0.6875rem; color: var(--ink-2); }
    .reward small { display: inline; }
    .credit .value { display: inline-flex; width: calc(100% - 2rem); vertical-align: middle; }
    .credit small { width: auto; display: inline; }
    .credit b { min-width: 2.75rem; }
  }
`;

/** Event of the user choosing a rollout, by its index from 0. */
export class RolloutEvent extends pageEvent<number>('rollout') {}

/**
 * Table of the rollouts in a group, one per row: the text, reward and advantage of each turn.
 * @fires rollout when the user chooses a rollout (RolloutEvent)
 */
@customElement('tw-group-table')
export class GroupTable extends LitElement {
  static override styles = [base, tableStyles, css`:host { min-width: 0; }`];

  @property({ attribute: false }) group!: GroupView;
  @property({ type: Number }) chosen = 0;

  protected override render() {
    const texts = strings.group;
    const turns = turnCount(this.group);
    const rule = ruleTitle(this.group.rule);
    const mean = creditsTokens(this.group.rule);
    const head = (label: string, title = label, style = '') =>
      html`<th scope="col" class=${style} title=${title} role="columnheader">${label}</th>`;
    return html`
      <table role="table">
        <caption class="visually-hidden">${texts.title(this.group.rollouts.length)}</caption>
        <thead role="rowgroup">
          <tr role="row">
            ${head('#', texts.rollout, 'index')}
            ${map(range(turns), (turn) => head(texts.turn(turn + 1)))}
            ${head(texts.rewardTurn, texts.rewardTurnTitle)}
            ${head(texts.rewardOutcome, texts.rewardOutcomeTitle)}
            ${map(range(turns), (turn) => {
              return head(texts.advantage(turn + 1), texts.advantageTitle(turn + 1, rule, mean), 'credit');
            })}
          </tr>
        </thead>
        <tbody role="rowgroup">${this.group.rollouts.map((rollout, index) => this.row(rollout, index, turns))}</tbody>
      </table>
      <p class="key">◦ ${texts.outcomeOnlyKey}${this.anyCut ? html`; ${texts.cutKey(FULL)}` : ''}</p>
    `;
  }

  private get anyCut(): boolean {
    return this.group.rollouts.some(({ turns }) => turns.some(({ advantage }) => isCut(advantage)));
  }

  private row(rollout: RolloutView, index: number, turns: number) {
    const texts = strings.group;
    const chosen = index === this.chosen;
    const choose = () => this.dispatchEvent(new RolloutEvent(index));
    const before = rollout.turns.slice(0, -1);
    const last = rollout.turns.slice(-1);
    const sum = before.reduce((total, turn) => total + turn.reward, 0);
    return html`
      <tr role="row" class=${chosen ? 'chosen' : ''} @click=${choose}>
        <th scope="row" role="rowheader" class="index">
          <button class="plain" aria-pressed=${chosen} aria-label=${texts.show(index + 1)}
            @click=${choose}>${index + 1}</button>
        </th>
        ${map(
          range(turns),
          (turn) => html`<td role="cell" class="words"
          data-label=${texts.turn(turn + 1)}>${rollout.turns[turn]?.summary}</td>`,
        )}
        ${this.reward(texts.rewardTurn, sum, describeComponents(before), 'parts')}
        ${this.reward(texts.rewardOutcome, rollout.outcome, describeComponents(last))}
        ${map(range(turns), (turn) => this.credit(rollout.turns[turn], turn))}
      </tr>
    `;
  }

  private reward(label: string, value: number, components: string, style = '') {
    return html`<td role="cell" class="reward ${style}"
      data-label=${label}><b>${plain(value)}</b> <small>${components}</small></td>`;
  }

  private credit(turn: TurnView | undefined, index: number) {
    const label = strings.group.advantage(index + 1);
    if (!turn) return html`<td role="cell" class="credit" data-label=${label}></td>`;
    const { advantage, outcomeOnlyAdvantage } = turn;
    return html`<td role="cell" class="credit" data-label=${label}>
      <span class="value">
        <b>${signed(advantage)}</b>
        <span class="bar" aria-hidden="true"><i class="${advantage < 0 ? 'less' : 'more'} ${isCut(advantage) ? 'cut' : ''}"
          style=${`--share: ${Math.abs(shade(advantage))}`}></i></span>
      </span>
      <small title=${strings.group.outcomeOnly}>
        <span class="visually-hidden">${strings.group.outcomeOnly}:</span> <span
          aria-hidden="true">◦</span> ${signed(outcomeOnlyAdvantage)}</small>
    </td>`;
  }
}

/** Describes the non-zero reward components of some turns, summed by name. */
export function describeComponents(turns: RolloutView['turns']): string {
  const sums = new Map<string, number>();
  for (const { components } of turns) {
    for (const [name, value] of Object.entries(components)) sums.set(name, (sums.get(name) ?? 0) + value);
  }
  const parts = [...sums].filter(([, value]) => Math.abs(value) > 1e-9);
  return parts.map(([name, value]) => `${strings.group.components[name] ?? name} ${plain(value)}`).join(', ');
}
