import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Group } from '../../rollouts/forest.ts';
import { ruleTitle } from '../address/pageTables.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { allCredits, type CreditChoice, creditOf, type RuleOutcome } from './choice.ts';
import { ChoiceEvent } from './inspectorEvents.ts';
import { missingFields } from './missingFields.ts';
import '../controls/ruleParameters.ts';

/**
 * Radio buttons for the rules that can read a group, with the parameters of the selected rule. A list has the reasons
 * why other rules cannot read the group. The content of the element is shown below the buttons.
 * @fires credit-choice when another rule is selected (ChoiceEvent)
 */
@customElement('tw-credit-choice')
export class CreditChoiceElement extends LitElement {
  static override styles = [
    base,
    css`
      fieldset { display: flex; flex-wrap: wrap; gap: 0.25rem; margin: 0; padding: 0; border: 0; min-width: 0; }
      legend { font-size: 0.8125rem; color: var(--ink-2); padding: 0; margin-bottom: 0.25rem; }
      label { position: relative; }
      input { position: absolute; inset: 0; opacity: 0; margin: 0; width: 100%; height: 100%; cursor: pointer; }
      label span { display: grid; place-items: center; min-height: 1.875rem; padding: 0 0.625rem;
        border: 1px solid var(--line-2); border-radius: 6px; font-size: 0.8125rem; font-weight: 560;
        white-space: nowrap; }
      input:checked + span { background: var(--accent); border-color: var(--accent); color: var(--on-accent);
        font-weight: 650; }
      input:not(:checked):hover + span { background: var(--hover); }
      input:focus-visible + span { outline: 2px solid var(--focus); outline-offset: 2px; }
      details { margin-top: 0.5rem; font-size: 0.8125rem; }
      .folds { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
      .folds details[open] { flex-basis: 100%; }
      tw-rule-parameters { margin-top: 0.375rem; }
      .missing { margin-top: 0.25rem; font-size: 0.8125rem; color: var(--ink-2); overflow-wrap: anywhere; }
      ul { margin: 0.25rem 0 0; padding-inline-start: 1.25rem; color: var(--ink-2); }
      li { overflow-wrap: anywhere; }
      @media (pointer: coarse) { label span { min-height: 2.375rem; } }
      @media (forced-colors: active) { input:checked + span { outline: 2px solid Highlight; } }
    `,
  ];

  @property({ attribute: false }) group!: Group;
  @property({ attribute: false }) choice!: CreditChoice;
  /** Names of the rules to choose from; undefined for all rules. */
  @property({ attribute: false }) only: readonly string[] | undefined;
  /** Name of the rule with which the run of the group trains; empty for a group without a run. */
  @property() trained = '';
  /** Legend of the radio buttons. */
  @property() legend: string = inspectorStrings.rule;
  /** True if the parameters are collapsed at first. */
  @property({ attribute: false }) folded = false;

  protected override render() {
    const texts = inspectorStrings;
    const { group, choice, only, trained } = this;
    const outcomes = only ? only.map((name) => creditOf(group, choice, name)) : allCredits(group, choice);
    const readable = outcomes.filter(({ credit }) => credit);
    const rejected = outcomes.filter(({ credit }) => !credit);
    const chosen = readable.find(({ rule }) => rule.name === this.choice.rule)?.rule;
    return html`
      <fieldset>
        <legend>${readable.length > 0 ? this.legend : texts.unreadable}</legend>
        ${readable.map(
          ({ rule: { name, title, idea } }) => html`<label title=${idea}>
            <input type="radio" name="rule" value=${name} .checked=${name === this.choice.rule} @change=${this.choose} />
            <span>${name === trained ? texts.scored.trains(title) : title}</span>
          </label>`,
        )}
      </fieldset>
      <slot></slot>
      <div class=${this.folded ? 'folds' : ''}>
        ${
          chosen && chosen.parameters.length > 0
            ? html`<details ?open=${!this.folded}>
                <summary>${texts.parameters(ruleTitle(chosen.name))}</summary>
                <tw-rule-parameters .rule=${chosen.name} .choice=${this.choice}></tw-rule-parameters>
              </details>`
            : nothing
        }
        ${rejected.length > 0 ? this.rejections(rejected) : nothing}
      </div>
    `;
  }

  private rejections(rejected: readonly RuleOutcome[]) {
    const missing = missingFields(this.group, rejected);
    return html`${missing.map(
      ({ fields, rules }) => html`<p class="missing">${inspectorStrings.missing.add}
        ${fields.map((field, index) => html`${index > 0 ? ', ' : ''}<code>${field}</code>`)}: ${inspectorStrings.missing.rules(rules)}</p>`,
    )}
    <details>
      <summary>${inspectorStrings.cannotRead(rejected.length)}</summary>
      <ul>${rejected.map(({ rule, problem }) => html`<li><b>${rule.title}</b>: ${problem}</li>`)}</ul>
    </details>`;
  }

  private choose(event: Event): void {
    this.dispatchEvent(new ChoiceEvent({ ...this.choice, rule: (event.target as HTMLInputElement).value }));
  }
}
