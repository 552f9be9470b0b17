import { css, html, LitElement, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { findRule } from '../../credit/rules.ts';
import type { EnvironmentName } from '../../training/configuration.ts';
import { strings } from '../strings.ts';
import { base } from '../styles.ts';
import { PINNED, tablesFor } from '../tables.ts';
import { ParameterChangeEvent } from './parameterControl.ts';
import './ruleMenu.ts';

/**
 * The switch that everything is about: which rule gives the credit. Two rules and the last other one are one press
 * away, all of them two.
 */
@customElement('tw-rule-switch')
export class RuleSwitch extends LitElement {
  static override styles = [
    base,
    css`
      fieldset { display: flex; margin: 0; padding: 2px; border: 1px solid var(--line-2); border-radius: 8px;
        min-width: 0;
        background: var(--ground); }
      label { position: relative; flex: 1 1 auto; }
      input { position: absolute; inset: 0; opacity: 0; margin: 0; cursor: pointer; }
      span { display: grid; place-items: center; min-height: 1.875rem; padding: 0 0.75rem; border-radius: 6px;
        font-size: 0.875rem; font-weight: 560; white-space: nowrap; color: var(--ink-2); }
      input:checked + span { background: var(--accent); color: var(--on-accent); font-weight: 650; }
      input:not(:checked):not(:disabled):hover + span { background: var(--hover); color: var(--ink); }
      input:focus-visible + span { outline: 2px solid var(--focus); outline-offset: 2px; }
      input:disabled { cursor: default; }
      @media (max-width: 400px) { span { padding: 0 0.25rem; font-size: 0.75rem; } }
      @media (pointer: coarse) { span { min-height: 2.375rem; } }
      @media (forced-colors: active) { input:checked + span { outline: 2px solid Highlight; } }
    `,
  ];

  @property() environment: EnvironmentName = 'search';
  @property() rule = '';
  @property({ type: Boolean }) disabled = false;
  /** The last other rule that was in force in this environment. */
  @state() private other = '';

  protected override willUpdate(changed: PropertyValues<this>): void {
    const [first, second, beside] = PINNED[this.environment];
    if (this.other === '' || changed.has('environment')) this.other = beside;
    if (this.rule !== '' && ![first, second].includes(this.rule)) this.other = this.rule;
  }

  protected override render() {
    return html`
      <fieldset title=${this.disabled ? strings.rule.notInRecording : strings.rule.help}>
        <legend class="visually-hidden">${strings.rule.label}</legend>
        ${this.offered.map(findRule).map(
          ({ name, title, idea }) => html`
            <label title=${this.disabled ? strings.rule.notInRecording : idea}>
              <input type="radio" name="rule" value=${name} .checked=${name === this.rule} ?disabled=${this.disabled}
                @change=${this.choose} />
              <span>${title}</span>
            </label>`,
        )}
        <tw-rule-menu .environment=${this.environment} .rule=${this.rule} ?disabled=${this.disabled}></tw-rule-menu>
      </fieldset>
    `;
  }

  /** Rules of a newer version, in a recording, have no place of their own. */
  private get offered(): readonly string[] {
    const [first, second] = PINNED[this.environment];
    const known = tablesFor(this.environment).rule.options.includes(this.other);
    return known ? [first, second, this.other] : [first, second];
  }

  private choose(event: Event): void {
    const { value } = event.target as HTMLInputElement;
    this.dispatchEvent(new ParameterChangeEvent({ rule: value }));
  }
}
