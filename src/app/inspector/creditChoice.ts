import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { splitParameters } from '../../credit/explanation/ruleText.ts';
import { findRule } from '../../credit/rules.ts';
import type { Parameter } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';
import { ruleTitle } from '../address/pageTables.ts';
import type { ExplainEvent } from '../glossary/explain.ts';
import type { ParameterChangeEvent } from '../look/pageEvent.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import {
  allCredits,
  ChoiceEvent,
  type CreditChoice,
  creditOf,
  type RuleOutcome,
  valuesOf,
  withValues,
} from './choice.ts';
import { granularities, recordedGranularity } from './inspected.ts';
import '../controls/parameterControl.ts';
import '../glossary/explain.ts';

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

/** Missing fields that prevent several rules from reading a group. */
interface MissingFields {
  /** Fields that the rules read and that no turn of the group has. */
  readonly fields: readonly string[];
  /** Titles of the rules. */
  readonly rules: readonly string[];
}

/**
 * Collects the rules that cannot read a group by their missing fields. The entry with the fewest fields comes first.
 */
export function missingFields(group: Group, unreadable: readonly RuleOutcome[]): readonly MissingFields[] {
  const lacking = (field: string) => group.turns.every((turn) => turn[field] === undefined);
  const byFields = new Map<string, string[]>();
  for (const { rule } of unreadable) {
    const fields = rule.reads.filter(lacking).join();
    if (fields !== '') byFields.set(fields, [...(byFields.get(fields) ?? []), rule.title]);
  }
  return [...byFields]
    .map(([fields, rules]) => ({ fields: fields.split(','), rules }))
    .sort((a, b) => a.fields.length - b.fields.length || b.rules.length - a.rules.length);
}

/**
 * Controls for the parameters of one rule. The page computes the effect of a change immediately.
 * @fires credit-choice when the user changes a parameter (ChoiceEvent)
 */
@customElement('tw-rule-parameters')
export class RuleParameters extends LitElement {
  static override styles = [
    base,
    css`
      .list { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr));
        gap: 0.5rem 1.5rem; align-items: start; }
      details { margin-top: 0.5rem; font-size: 0.8125rem; }
      details .list { margin-top: 0.375rem; }
    `,
  ];

  @property() rule = '';
  @property({ attribute: false }) choice!: CreditChoice;
  /** Names of the parameters to show; undefined for all parameters. */
  @property({ attribute: false }) names: readonly string[] | undefined;
  @state() private explained = false;

  protected override render() {
    if (this.rule === '') return nothing;
    const { specific, shared } = splitParameters(findRule(this.rule));
    const { names } = this;
    const visible = names ? specific.filter(({ name }) => names.includes(name)) : specific;
    if (visible.length === 0 && (names || shared.length === 0)) return nothing;
    const explain = html`<tw-explain .term=${inspectorStrings.parameters(ruleTitle(this.rule))}
      .explained=${this.explained} @explain=${this.explain}></tw-explain>`;
    if (names) return html`${explain}${this.list(visible)}`;
    return html`
      ${explain}${this.list(specific)}
      ${
        shared.length === 0
          ? nothing
          : html`<details><summary>${inspectorStrings.normalisation}</summary>${this.list(shared)}</details>`
      }
    `;
  }

  private list(parameters: readonly Parameter[]) {
    const values = valuesOf(this.choice, this.rule);
    const start = this.choice.start?.[this.rule] ?? {};
    return html`<div class="list" @parameter-change=${this.change}>
      ${parameters.map(
        (parameter) =>
          html`<tw-parameter live ?explained=${this.explained} .parameter=${parameter} .value=${values[parameter.name]}
            .start=${start[parameter.name]}></tw-parameter>`,
      )}
    </div>`;
  }

  private explain(event: ExplainEvent): void {
    this.explained = event.detail;
  }

  private change(event: ParameterChangeEvent): void {
    event.stopPropagation();
    this.dispatchEvent(new ChoiceEvent(withValues(this.choice, this.rule, event.detail)));
  }
}

/**
 * Choice of the granularity at which states of a group count as equal. The element is empty if the turns have states at
 * fewer than two granularities.
 * @fires credit-choice when another granularity is selected (ChoiceEvent)
 */
@customElement('tw-states-choice')
export class StatesChoice extends LitElement {
  static override styles = [
    base,
    css`
      label { display: flex; flex-wrap: wrap; gap: 0.25rem 0.5rem; align-items: center; font-size: 0.8125rem; }
      select { max-width: 100%; }
    `,
  ];

  @property({ attribute: false }) group!: Group;
  @property({ attribute: false }) choice!: CreditChoice;

  protected override render() {
    const texts = inspectorStrings.states;
    const names = granularities(this.group);
    if (names.length === 0) return nothing;
    const recorded = recordedGranularity(this.group);
    const chosen = names.find((name) => name === this.choice.states) ?? recorded;
    const title = (name: string) => texts.granularities[name] ?? name;
    return html`<label>${texts.granularity}
      <select @change=${this.choose}>
        ${names.map(
          (name) =>
            html`<option value=${name} .selected=${name === chosen}>${
              name === recorded ? texts.recordedStates(title(name)) : title(name)
            }</option>`,
        )}
      </select>
    </label>`;
  }

  private choose(event: Event): void {
    const states = (event.target as HTMLSelectElement).value;
    this.dispatchEvent(new ChoiceEvent({ ...this.choice, states }));
  }
}
