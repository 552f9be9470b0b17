import { css, html, LitElement, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import { findFacts } from '../../credit/ruleFacts.ts';
import { isOwnRule } from '../../credit/rules/own/ownSource.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentName } from '../../training/data/configuration.ts';
import { tablesFor } from '../address/pageTables.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';
import { manualRadios } from './manualRadios.ts';
import { ParameterChangeEvent } from './parameterControl.ts';
import './ruleMenu.ts';

/**
 * The switch that everything is about: which rule gives the credit. The environment's three rules keep their places, the
 * last other one stands behind them: these are one press away, all of them two.
 * @fires parameter-change when another rule is chosen (ParameterChangeEvent)
 */
@customElement('tw-rule-switch')
export class RuleSwitch extends LitElement {
  static override styles = [
    base,
    css`
      fieldset { display: flex; flex-wrap: wrap; margin: 0; padding: 2px; border: 1px solid var(--line-2); border-radius: 8px;
        min-width: 0;
        background: var(--ground); }
      label { position: relative; flex: 1 1 auto; }
      input { position: absolute; inset: 0; opacity: 0; margin: 0; cursor: pointer; }
      label span { display: grid; place-items: center; min-height: 1.875rem; padding: 0 0.75rem; border-radius: 6px;
        font-size: 0.875rem; font-weight: 560; white-space: nowrap; color: var(--ink-2); }
      input:checked + span { background: var(--accent); color: var(--on-accent); font-weight: 650; }
      input:not(:checked):hover + span { background: var(--hover); color: var(--ink); }
      input:focus-visible + span { outline: 2px solid var(--focus); outline-offset: 2px; }
      @media (max-width: 400px) { label span { padding: 0 0.125rem; font-size: 0.71875rem; } }
      @media (pointer: coarse) { label span { min-height: 2.375rem; } }
      @media (forced-colors: active) { input:checked + span { outline: 2px solid Highlight; } }
    `,
  ];

  @property() environment: EnvironmentName = DEFAULT_ENVIRONMENT;
  /** Of the run: the menu offers no rule that does not go with them. */
  @property({ attribute: false }) settings: ParameterValues | undefined;
  @property() rule = '';
  /** The last rule in force in this environment that has no place of its own. */
  @state() private other = '';

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('environment')) this.other = '';
    if (this.rule !== '' && !ENVIRONMENTS[this.environment].pinned.includes(this.rule)) this.other = this.rule;
  }

  protected override render() {
    return html`
      <fieldset title=${strings.rule.help} @keydown=${manualRadios}>
        <legend class="visually-hidden">${strings.rule.label}</legend>
        <span id="keys" class="visually-hidden">${strings.manualRadios}</span>
        ${this.offered.map(findFacts).map(
          ({ name, title, idea }) => html`
            <label title=${idea}>
              <input type="radio" name="rule" value=${name} aria-describedby="keys" .checked=${live(name === this.rule)} @change=${this.choose} />
              <span>${title}</span>
            </label>`,
        )}
        <tw-rule-menu .environment=${this.environment} .settings=${this.settings} .rule=${this.rule}></tw-rule-menu>
      </fieldset>
    `;
  }

  /** The focus comes to the rule in force. */
  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('input:checked')?.focus();
  }

  /** A rule of a newer version, in a file of a run, has no radio button. */
  private get offered(): readonly string[] {
    const known = isOwnRule(this.other) || tablesFor(this.environment).rule.options.includes(this.other);
    return known ? [...ENVIRONMENTS[this.environment].pinned, this.other] : ENVIRONMENTS[this.environment].pinned;
  }

  private choose(event: Event): void {
    const { value } = event.target as HTMLInputElement;
    this.dispatchEvent(new ParameterChangeEvent({ rule: value }));
  }
}
