import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { splitParameters } from '../../credit/explanation/ruleText.ts';
import { findRule } from '../../credit/rules.ts';
import type { Parameter } from '../../parameters/parameters.ts';
import { ruleTitle } from '../address/pageTables.ts';
import { type CreditChoice, valuesOf, withValues } from '../inspector/choice.ts';
import { ChoiceEvent } from '../inspector/inspectorEvents.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import '../glossary/explain.ts';
import type { ExplainEvent } from '../glossary/explain.ts';
import './parameterControl.ts';
import type { ParameterChangeEvent } from './parameterChangeEvent.ts';

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
