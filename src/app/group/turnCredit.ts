import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { GroupView } from '../../training/data/protocol.ts';
import { ruleTitle } from '../address/pageTables.ts';
import { allCredits, runChoice } from '../inspector/choice.ts';
import type { Inspected } from '../inspector/inspected.ts';
import '../inspector/derivation.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';

/**
 * Derivation of a turn's credit: the formula of the run's rule, or of another rule that supports the group, with the
 * numbers of the group. The chosen rule does not affect the run.
 */
@customElement('tw-turn-credit')
export class TurnCredit extends LitElement {
  static override styles = [
    base,
    css`
      details { margin-top: 0.75rem; font-size: 0.875rem; }
      .choice { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: center; margin: 0.375rem 0 0.5rem; }
      fieldset { display: flex; gap: 0.75rem; margin: 0; padding: 0; border: 0; }
      label { display: inline-flex; gap: 0.375rem; align-items: center; min-height: 1.625rem; }
    `,
  ];

  @property({ attribute: false }) group!: GroupView;
  @property({ attribute: false }) inspected!: Inspected;
  /** Controls of the run, which determine the parameters of the rules. */
  @property({ attribute: false }) controls: ParameterValues = {};
  /** Index of the rollout, from 0. */
  @property({ type: Number }) rollout = 0;
  @state() private open = false;
  /** Index of the turn in the rollout, from 0. */
  @state() private turn = 0;
  /** Rule that the user chose; undefined to follow the run. */
  @state() private rule: string | undefined;

  protected override willUpdate(changed: PropertyValues): void {
    const before = changed.get('group') as GroupView | undefined;
    if (before && before.rule !== this.group.rule) this.rule = undefined;
  }

  protected override render() {
    const texts = strings.group.credit;
    return html`<details @toggle=${(event: Event) => (this.open = (event.target as HTMLDetailsElement).open)}>
      <summary>${texts.title(this.rollout + 1)}</summary>
      ${this.open ? this.renderDerivation() : nothing}
    </details>`;
  }

  private renderDerivation() {
    const texts = strings.group.credit;
    const { group } = this.inspected;
    const turns = this.group.rollouts[this.rollout]?.turns ?? [];
    const index = Math.min(this.turn, turns.length - 1);
    const turn = turns[index]?.forestTurn;
    if (turn === undefined) return nothing;
    const choice = runChoice(this.group.rule, this.controls);
    const readable = allCredits(group, choice).flatMap(({ rule, credit }) => (credit ? [rule.name] : []));
    // A group has no critic values, so a rule with a critic cannot be derived. Another rule is shown instead.
    const rule = [this.rule, this.group.rule, 'grpo-or'].find((name) => name !== undefined && readable.includes(name));
    return html`<div class="choice">
        <fieldset>
          <legend class="visually-hidden">${texts.turnHead}</legend>
          ${turns.map(
            (_, number) => html`<label><input type="radio" name="turn" .checked=${live(number === index)}
              @change=${() => (this.turn = number)} />${strings.group.turn(number + 1)}</label>`,
          )}
        </fieldset>
        <label>${texts.under}
          <select @change=${(event: Event) => (this.rule = (event.target as HTMLSelectElement).value)}>
            ${readable.map((name) => html`<option value=${name} .selected=${name === rule}>${ruleTitle(name)}</option>`)}
          </select></label>
        ${rule === this.group.rule ? nothing : html`<span class="muted">${texts.differsFromRun(ruleTitle(this.group.rule))}</span>`}
      </div>
      ${rule === undefined ? nothing : html`<tw-worked .group=${group} .choice=${choice} .rule=${rule} .turn=${turn}></tw-worked>`}`;
  }
}
