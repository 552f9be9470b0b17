import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import { findFacts } from '../../credit/ruleFacts.ts';
import { isCustomRuleName } from '../../credit/rules/custom/customRule.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentName } from '../../training/data/configuration.ts';
import { ruleTitle, tablesFor } from '../address/pageTables.ts';
import { ParameterChangeEvent, pageEvent } from '../look/pageEvent.ts';
import { base } from '../look/styles.ts';
import type { Happening } from '../session/runEvents.ts';
import { strings } from '../strings/strings.ts';
import './ruleMenu.ts';

/** Event with the rule under the pointer or focus. The rule is undefined when the pointer or focus leaves. */
export class RulePreviewEvent extends pageEvent<string | undefined>('rule-preview') {}

/**
 * Switch between two rules of an environment, with a menu of all rules. The last rule chosen in the menu gets a third
 * button.
 * @fires parameter-change when the user chooses another rule (ParameterChangeEvent)
 * @fires rule-preview when the pointer or focus reaches or leaves a rule (RulePreviewEvent)
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
      label span { display: grid; place-content: center; justify-items: center; min-height: 2.375rem; padding: 0 0.75rem; border-radius: 6px;
        font-size: 0.875rem; font-weight: 620; line-height: 1.2; white-space: nowrap; color: var(--ink-2); }
      label small { font-size: 0.75rem; font-weight: 400; }
      input:checked + span { background: var(--accent); color: var(--on-accent); }
      .suggested span { box-shadow: 0 0 0 2px var(--less); }
      @media (prefers-reduced-motion: no-preference) {
        .suggested span { animation: suggest 1.6s ease-in-out infinite; }
      }
      @keyframes suggest { 50% { box-shadow: 0 0 0 4px color-mix(in srgb, var(--less) 45%, transparent); } }
      input:not(:checked):hover + span { background: var(--hover); color: var(--ink); }
      input:focus-visible + span { outline: 2px solid var(--focus); outline-offset: 2px; }
      @media (max-width: 640px) {
        fieldset { width: 100%; flex-wrap: nowrap; }
        .many small { display: none; }
        label span { padding: 0 0.25rem; }
        label small { white-space: normal; text-align: center; }
      }
      @media (max-width: 400px) { .many label span { padding: 0 0.125rem; font-size: 0.71875rem; } }
      @media (pointer: coarse) { label span { min-height: 2.375rem; } }
      @media (forced-colors: active) { input:checked + span { outline: 2px solid Highlight; } }
    `,
  ];

  @property() environment: EnvironmentName = DEFAULT_ENVIRONMENT;
  /** Settings of the run. The menu leaves out rules that are incompatible with them. */
  @property({ attribute: false }) settings: ParameterValues | undefined;
  @property() rule = '';
  /** True to outline the other rule of the switch, which suggests a press. */
  @property({ type: Boolean }) suggests = false;
  /** Last active rule in this environment that is not one of the two pinned rules; empty if it does not exist. */
  @state() private pending = '';

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('environment')) this.pending = '';
    if (this.rule !== '' && !this.toggle.includes(this.rule)) this.pending = this.rule;
  }

  protected override render() {
    const { lines } = strings.rule;
    return html`
      <fieldset class=${this.offered.length > 2 ? 'many' : ''} title=${strings.rule.help} @keydown=${manualRadios}>
        <legend class="visually-hidden">${strings.rule.label}</legend>
        <span id="keys" class="visually-hidden">${strings.manualRadios}</span>
        ${this.offered.map(findFacts).map(
          ({ name, title, idea }) => html`
            <label title=${idea} class=${this.suggests && name === this.suggested ? 'suggested' : ''}
              @pointerenter=${() => this.preview(name)} @pointerleave=${() => this.preview(undefined)}>
              <input type="radio" name="rule" value=${name} aria-label=${title} aria-describedby="keys" .checked=${live(name === this.rule)}
                @focus=${() => this.preview(name)} @blur=${() => this.preview(undefined)} @change=${this.choose} />
              <span aria-hidden="true">${title}${lines[name] === undefined ? '' : html`<small>${lines[name]}</small>`}</span>
            </label>`,
        )}
        <tw-rule-menu .environment=${this.environment} .settings=${this.settings} .rule=${this.rule}></tw-rule-menu>
      </fieldset>
    `;
  }

  /** Moves the focus to the active rule. */
  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('input:checked')?.focus();
  }

  /** Presses the button of a rule. */
  press(rule: string): void {
    this.renderRoot.querySelector<HTMLElement>(`input[value="${rule}"]`)?.click();
  }

  /** The two pinned rules of the environment. */
  private get toggle(): readonly string[] {
    return ENVIRONMENTS[this.environment].pinned.slice(0, 2);
  }

  /** First pinned rule that is not active. */
  private get suggested(): string | undefined {
    return this.toggle.find((name) => name !== this.rule);
  }

  /** Rules with a button. A rule of a newer version, from a run file, has no button. */
  private get offered(): readonly string[] {
    const known = isCustomRuleName(this.pending) || tablesFor(this.environment).rule.options.includes(this.pending);
    return known ? [...this.toggle, this.pending] : this.toggle;
  }

  private preview(rule: string | undefined): void {
    this.dispatchEvent(new RulePreviewEvent(rule === this.rule ? undefined : rule));
  }

  private choose(event: Event): void {
    const { value } = event.target as HTMLInputElement;
    this.dispatchEvent(new ParameterChangeEvent({ rule: value }));
  }
}

const STRIDES: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/**
 * Handles the keys of radio buttons whose choice has an immediate effect. Arrows, Home and End move only the focus;
 * Enter and Space choose. By default, a browser chooses each radio button that the arrows reach.
 */
export function manualRadios(event: KeyboardEvent): void {
  const focused = event.target;
  const group = event.currentTarget as Element;
  if (!(focused instanceof HTMLInputElement) || focused.type !== 'radio') return;
  if (event.key === 'Enter') {
    event.preventDefault();
    focused.click();
    return;
  }
  const radios = [...group.querySelectorAll<HTMLInputElement>('input[type=radio]:enabled')];
  const at = radios.indexOf(focused);
  const stride = STRIDES[event.key];
  const ends: Readonly<Record<string, number>> = { Home: 0, End: radios.length - 1 };
  const next = stride === undefined ? ends[event.key] : (at + stride + radios.length) % radios.length;
  if (next === undefined) return;
  event.preventDefault();
  radios[next]?.focus();
}

/**
 * Note next to the rule switch with the next scheduled rule and its step. A user who has chosen another rule
 * sees that the schedule will replace it, and can cancel the schedule.
 * @fires drop-plan when the user cancels the schedule
 */
@customElement('tw-rule-plan')
export class RulePlan extends LitElement {
  static override styles = [
    base,
    css`
      /* One line for every rule name, so that the content below does not move. */
      p { display: flex; gap: 0.75rem; align-items: center; height: 1.25rem; font-size: 0.8125rem; white-space: nowrap;
        color: var(--ink-2); }
      span { min-width: 0; overflow: hidden; text-overflow: ellipsis; }
      button.plain { flex: none; margin-inline-start: -0.35rem; text-decoration: underline; min-height: 1.25rem;
        font-size: 0.8125rem; }
      @media (max-width: 400px) { p, button.plain { font-size: 0.75rem; } }
    `,
  ];

  @property({ attribute: false }) planned: readonly Happening[] = [];
  @property({ attribute: false }) appliedEvents: readonly Happening[] = [];

  protected override render() {
    const texts = strings.rule;
    const next = nextRule(this.planned);
    const to = next?.changes.find(({ name }) => name === 'rule')?.to;
    if (!next || to === undefined) return nothing;
    const isManual = this.appliedEvents.findLast(setsRule)?.kind === 'change';
    const rule = ruleTitle(String(to));
    const description = isManual ? texts.plannedOver(next.step, rule) : texts.planned(next.step, rule);
    return html`<p>
      <span title=${description}>${description}</span>
      <button class="plain" title=${texts.dropPlanHelp} @click=${this.drop}>${texts.dropPlan}</button>
    </p>`;
  }

  private drop(): void {
    this.dispatchEvent(new CustomEvent('drop-plan', { bubbles: true, composed: true }));
  }
}

/** Returns the first planned event that changes the rule, or undefined if no event does. */
export function nextRule(planned: readonly Happening[]): Happening | undefined {
  return planned.find(setsRule);
}

function setsRule({ changes }: Happening): boolean {
  return changes.some(({ name }) => name === 'rule');
}
