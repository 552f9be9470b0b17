import { css, html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { map } from 'lit/directives/map.js';
import { range } from 'lit/directives/range.js';
import type { GroupView, RolloutView, TurnView } from '../../training/data/protocol.ts';
import { creditsTokens, ruleTitle } from '../address/pageTables.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';
import { describeComponents, FULL, isCut, plain, shade, signed, turnCount } from './groupNumbers.ts';
import { tableStyles } from './tableStyles.ts';

/** Event of the user choosing a rollout, by its index from 0. */
export class RolloutEvent extends CustomEvent<number> {
  constructor(rollout: number) {
    super('rollout', { detail: rollout, bubbles: true, composed: true });
  }
}

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
        <caption class="visually-hidden">${texts.title}</caption>
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
