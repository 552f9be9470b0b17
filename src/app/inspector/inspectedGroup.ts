import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import {
  type ChoiceEvent,
  type CreditChoice,
  creditOf,
  selectSupportedRule,
  type TurnEvent,
  type ViewKind,
  viewsOf,
} from './choice.ts';
import type { Inspected } from './inspected.ts';
import './creditChoice.ts';
import './creditColumns.ts';
import './programTree.ts';
import './rolloutTree.ts';
import './testWeights.ts';
import './turnView.ts';
import './derivation.ts';

/**
 * View of one group: the choice of the credit rule, a drawing that suits the group, and the advantages of all rules.
 * @fires credit-choice when the rule or a parameter changes (ChoiceEvent)
 * @fires turn-choice when a turn is opened or closed (TurnEvent)
 */
@customElement('tw-inspected-group')
export class InspectedGroup extends LitElement {
  static override styles = [
    base,
    css`
      .part { margin-top: 1.25rem; padding-top: 1rem; border-top: 1px solid var(--line); min-width: 0; }
      .two { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem 1.5rem; align-items: start; }
      @media (min-width: 1100px) { .two { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); } }
    `,
  ];

  @property({ attribute: false }) inspected!: Inspected;
  /** Selected rule. If it is empty or cannot read the group, a rule that suits the group replaces it. */
  @property({ attribute: false }) choice: CreditChoice = { rule: '', values: {} };
  /** Index of the open turn; undefined if no turn is open. */
  @property({ type: Number }) turn: number | undefined;
  /** Selected view. If the group does not support it, the first supported view is shown. */
  @property() view: ViewKind | '' = '';

  protected override willUpdate(): void {
    const { group } = this.inspected;
    const rule = selectSupportedRule(group, this.choice);
    if (rule !== this.choice.rule) this.choice = { ...this.choice, rule };
    if (this.turn !== undefined && this.turn >= group.turns.length) this.turn = undefined;
  }

  protected override render() {
    const { group } = this.inspected;
    if (group.turns.length === 0) return html`<p class="caption">${inspectorStrings.emptyGroup}</p>`;
    const views = viewsOf(this.inspected);
    const view = views.find((kind) => kind === this.view) ?? views[0];
    return html`<div @credit-choice=${this.choose} @turn-choice=${this.open}>
      <tw-credit-choice .group=${group} .choice=${this.choice}></tw-credit-choice>
      ${view === 'programs' ? this.programs() : view === 'states' ? this.states() : nothing}
      ${this.columns(view)}
    </div>`;
  }

  private programs() {
    const { inspected, choice, turn } = this;
    const tested = creditOf(inspected.group, choice, 'verpo').credit !== undefined;
    return html`<div class="part"><tw-program-tree .inspected=${inspected} .choice=${choice} .turn=${turn}
        .controls=${false} .formula=${false}></tw-program-tree></div>
      ${
        tested
          ? html`<div class="part"><tw-test-weights .group=${inspected.group} .choice=${choice}></tw-test-weights></div>`
          : nothing
      }`;
  }

  private states() {
    const { inspected, choice, turn } = this;
    return html`<div class="part"><tw-rollout-tree .inspected=${inspected} .choice=${choice} .turn=${turn}
      .controls=${choice.rule !== 'rtmc'} .formula=${false}></tw-rollout-tree></div>`;
  }

  private columns(view: ViewKind | undefined) {
    const { inspected, choice, turn } = this;
    return html`<div class="part ${turn === undefined ? '' : 'two'}">
      <tw-credit-columns .inspected=${inspected} .choice=${choice} .turn=${turn}></tw-credit-columns>
      ${
        turn === undefined
          ? nothing
          : view === 'turns'
            ? html`<tw-turn .inspected=${inspected} .choice=${choice} .turn=${turn}></tw-turn>`
            : html`<tw-worked .group=${inspected.group} .choice=${choice} .turn=${turn}></tw-worked>`
      }
    </div>`;
  }

  private choose(event: ChoiceEvent): void {
    this.choice = event.detail;
  }

  private open(event: TurnEvent): void {
    this.turn = event.detail;
  }
}
