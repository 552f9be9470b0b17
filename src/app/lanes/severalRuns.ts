import { css, html, LitElement } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { encodeCustomRule, isCustomRuleName } from '../../credit/rules/custom/customRule.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentName } from '../../training/data/configuration.ts';
import { MAX_LANES } from '../../training/data/protocol.ts';
import { rulesInOrder, ruleTitle } from '../address/pageTables.ts';
import { savedRules } from '../customRule/savedRules.ts';
import { base } from '../look/styles.ts';
import { laneStrings } from '../strings/runStrings.ts';

/**
 * Request for several runs: a fork of the selected run under another rule, a comparison of rules from step 0, or a
 * series of seeds.
 */
export type SeveralRuns =
  | { readonly act: 'fork'; readonly rule: string }
  | { readonly act: 'compare'; readonly rules: readonly string[] }
  | { readonly act: 'seeds'; readonly count: number; readonly steps: number };

/** Options for the number of seeds in a series and for the number of updates per seed. */
const COUNTS = [3, 5, 10] as const;
const STEPS = [30, 60, 120, 240] as const;

export class SeveralRunsEvent extends CustomEvent<SeveralRuns> {
  constructor(detail: SeveralRuns) {
    super('several-runs', { detail, bubbles: true, composed: true });
  }
}

/** Returns the rules that the user saved in this browser. */
function listCustomRules(): readonly string[] {
  return Object.entries(savedRules())
    .map(([file, source]) => encodeCustomRule({ file, values: {}, source }))
    .filter(isCustomRuleName);
}

/**
 * Controls that start several runs side by side.
 * @fires several-runs when the user requests a fork, a comparison or a series of seeds (SeveralRunsEvent)
 */
@customElement('tw-several-runs')
export class SeveralRunsPanel extends LitElement {
  static override styles = [
    base,
    css`
      details { margin-top: 0.5rem; font-size: 0.875rem; }
      summary { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
      summary b { font-weight: 620; }
      summary span { color: var(--ink-2); }
      .ways { display: grid; gap: 1rem 2rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr));
        margin-top: 0.625rem; }
      h3 { font-size: 0.875rem; font-weight: 620; margin: 0; }
      .help { color: var(--ink-2); margin: 0.125rem 0 0.5rem; }
      .act { display: flex; flex-wrap: wrap; gap: 0.375rem 0.75rem; align-items: center; }
      .act label { display: inline-flex; gap: 0.375rem; align-items: center; }
      fieldset { display: flex; flex-wrap: wrap; gap: 0.125rem 1rem; margin: 0 0 0.5rem; padding: 0; border: 0; }
      fieldset label { display: inline-flex; gap: 0.375rem; align-items: center; min-height: 1.625rem; }
    `,
  ];

  @property() environment: EnvironmentName = DEFAULT_ENVIRONMENT;
  /** Active rule of the selected run. */
  @property() rule = '';
  /** Active rules of all runs. A custom rule that is active in a run is an option for all runs. */
  @property({
    attribute: false,
    hasChanged: (now: readonly string[], before?: readonly string[]) => now.join() !== before?.join(),
  })
  inForce: readonly string[] = [];
  /** True to show the controls unfolded. */
  @property({ type: Boolean }) unfolded = false;
  /** True if another run can be added. */
  @property({ type: Boolean }) hasCapacity = true;
  /** Rule that the user chose for the fork; undefined for the first other rule of the switch. */
  @state() private under: string | undefined;
  @state() private rules: readonly string[] | undefined;
  @state() private count: number = 5;
  @state() private steps: number = 60;
  /** Names of the user's saved rules when the element last read them. */
  @state() private savedNames: readonly string[] = [];
  /** Rules other than the active rule: first the rules of the switch, last the user's custom rules. */
  private options: readonly string[] = [];

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('environment')) {
      this.under = undefined;
      this.rules = undefined;
    }
    if (this.under === this.rule) this.under = undefined;
    const all = [...rulesInOrder(this.environment), ...this.inForce.filter(isCustomRuleName), ...this.savedNames];
    this.options = [...new Set(all)].filter((rule) => rule !== this.rule);
  }

  protected override render() {
    const texts = laneStrings;
    return html`<details ?open=${this.unfolded} @toggle=${this.unfold} @pointerenter=${this.loadCustomRules} @focusin=${this.loadCustomRules}>
      <summary><b>${texts.title}</b> <span>${texts.brief}</span></summary>
      <div class="ways">
        <section aria-labelledby="fork">
          <h3 id="fork">${texts.fork.title}</h3>
          <p class="help">${this.hasCapacity ? texts.fork.help : texts.full(MAX_LANES)}</p>
          <div class="act">
            <label>${texts.fork.under}
              <select ?disabled=${!this.hasCapacity} @change=${this.chooseUnder}>
                ${this.options.map((rule) => html`<option value=${rule} .selected=${rule === this.fork}>${ruleTitle(rule)}</option>`)}
              </select></label>
            <button ?disabled=${!this.hasCapacity} @click=${() => this.dispatchAction({ act: 'fork', rule: this.fork })}>${texts.fork.act}</button>
          </div>
        </section>
        ${this.comparison()} ${this.seeds()}
      </div>
    </details>`;
  }

  private comparison() {
    const texts = laneStrings.compare;
    const rules = this.compared;
    const wrong = rules.length < 2 ? texts.rulesMissing : rules.length > MAX_LANES ? texts.many(MAX_LANES) : '';
    return html`<section aria-labelledby="compare">
      <h3 id="compare">${texts.title}</h3>
      <p class="help">${texts.help}</p>
      <fieldset>
        <legend class="visually-hidden">${texts.title}</legend>
        ${[this.rule, ...this.options].map(
          (rule) => html`<label><input type="checkbox" value=${rule} .checked=${rules.includes(rule)}
            @change=${this.toggle} />${ruleTitle(rule)}</label>`,
        )}
      </fieldset>
      <div class="act">
        <button ?disabled=${wrong !== ''} @click=${() => this.dispatchAction({ act: 'compare', rules })}>${texts.act(rules.length)}</button>
        <span class="muted" role="status">${wrong}</span>
      </div>
    </section>`;
  }

  private seeds() {
    const texts = laneStrings.seeds;
    const options = (values: readonly number[], chosen: number) =>
      values.map((value) => html`<option value=${value} .selected=${value === chosen}>${value}</option>`);
    return html`<section aria-labelledby="seeds">
      <h3 id="seeds">${texts.title}</h3>
      <p class="help">${this.hasCapacity ? texts.help : laneStrings.full(MAX_LANES)}</p>
      <div class="act">
        <label>${texts.count}
          <select @change=${(event: Event) => (this.count = Number((event.target as HTMLSelectElement).value))}>
            ${options(COUNTS, this.count)}
          </select></label>
        <label><select @change=${(event: Event) => (this.steps = Number((event.target as HTMLSelectElement).value))}>
            ${options(STEPS, this.steps)}
          </select> ${texts.steps}</label>
        <button ?disabled=${!this.hasCapacity} @click=${() => this.dispatchAction({ act: 'seeds', count: this.count, steps: this.steps })}>
          ${texts.act(this.count)}</button>
      </div>
    </section>`;
  }

  private get fork(): string {
    return this.under ?? this.options[0] ?? '';
  }

  /** Compared rules, in display order. */
  private get compared(): readonly string[] {
    const chosen = this.rules ?? ENVIRONMENTS[this.environment].pinned;
    return [this.rule, ...this.options].filter((rule) => chosen.includes(rule));
  }

  private chooseUnder(event: Event): void {
    this.under = (event.target as HTMLSelectElement).value;
  }

  /**
   * Reads the saved rules when the user opens the element. The element renders too often during training to read them
   * at each render.
   */
  private unfold(event: Event): void {
    const { open } = event.target as HTMLDetailsElement;
    this.toggleAttribute('open', open);
    this.loadCustomRules();
  }

  private loadCustomRules(): void {
    if (this.hasAttribute('open')) this.savedNames = listCustomRules();
  }

  private toggle(event: Event): void {
    const { value, checked } = event.target as HTMLInputElement;
    const rest = this.compared.filter((rule) => rule !== value);
    this.rules = checked ? [...rest, value] : rest;
  }

  private dispatchAction(detail: SeveralRuns): void {
    this.dispatchEvent(new SeveralRunsEvent(detail));
  }
}
