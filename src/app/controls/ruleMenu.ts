import { css, html, LitElement } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import type { RuleFacts, RuleFamily } from '../../credit/rule.ts';
import { isCustomRule } from '../../credit/rules/custom/customRule.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentName } from '../../training/data/configuration.ts';
import { creditUnit, ruleFamilies } from '../address/pageTables.ts';
import { ParameterChangeEvent } from '../look/pageEvent.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';

/** Gap between the button and its menu, and between the menu and the edge of the window [CSS px]. */
const GAP = 6;

/** Maximum time between two typed letters that form one search prefix. */
const TYPEAHEAD_MS = 700;

/**
 * Button with a menu of all rules by family, each with its idea. The rule changes only when the user presses an item.
 * Arrows, Home, End and letters move the focus; Escape and Tab return it to the button.
 * @fires parameter-change when the user chooses a rule (ParameterChangeEvent)
 * @fires own-rule when the user requests to write a custom rule
 */
@customElement('tw-rule-menu')
export class RuleMenu extends LitElement {
  static override styles = [
    base,
    css`
      .open { min-height: 100%; padding: 0 0.625rem; border-color: transparent; background: none; font-weight: 560;
        color: var(--ink-2); border-radius: 6px; white-space: nowrap; }
      .menu { position: fixed; margin: 0; inset: auto; width: min(30rem, calc(100vw - 12px)); padding: 0.5rem;
        overflow: auto; border: 1px solid var(--line-2); border-radius: 10px; color: var(--ink);
        background: var(--surface); box-shadow: 0 8px 28px rgb(0 0 0 / 0.25); }
      .family + .family { margin-top: 0.5rem; padding-top: 0.5rem; border-top: 1px solid var(--line); }
      .title { padding: 0 0.5rem; font-size: 0.8125rem; font-weight: 620; }
      .title span { font-weight: 400; color: var(--ink-2); }
      .rule { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: 0 0.75rem; width: 100%;
        margin-top: 0.125rem; padding: 0.3rem 0.5rem; border-color: transparent; background: none; text-align: start;
        justify-items: start; align-items: baseline; }
      .rule b { font-weight: 600; }
      .rule span { font-size: 0.8125rem; line-height: 1.3; color: var(--ink-2); }
      .rule i { font-style: normal; color: var(--ink); white-space: nowrap; }
      .rule[aria-checked='true'] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
      @media (max-width: 400px) {
        .open { padding: 0 0.375rem; }
        .word { display: none; }
        .rule { grid-template-columns: minmax(0, 1fr); }
      }
      @media (forced-colors: active) { .rule[aria-checked='true'] { outline: 2px solid Highlight; } }
    `,
  ];

  @property() environment: EnvironmentName = DEFAULT_ENVIRONMENT;
  /** Settings of the run. The menu leaves out rules that are incompatible with them. */
  @property({ attribute: false }) settings: ParameterValues | undefined;
  @property() rule = '';
  /** True if the menu was opened before. Its items are rendered when it is first opened. */
  @state() private opened = false;
  @state() private isOpen = false;
  @query('.open') private button!: HTMLButtonElement;
  @query('.menu') private menu!: HTMLElement;
  /** True if the focus was in the menu when it closed. */
  private left = false;
  private typed = { prefix: '', at: 0 };

  protected override render() {
    const texts = strings.rule;
    return html`
      <button class="open" popovertarget="menu" aria-label=${texts.moreLabel}
        aria-haspopup="menu" aria-expanded=${this.isOpen} title=${texts.moreLabel}
        @keydown=${this.openByKey}><span class="word">${texts.more}</span> <span aria-hidden="true">▾</span></button>
      <div id="menu" class="menu" popover role="menu" aria-label=${texts.moreLabel} @keydown=${this.move}
        @beforetoggle=${this.prepare} @toggle=${this.settle}>
        ${this.opened ? ruleFamilies(this.environment, this.settings).map(([family, rules]) => this.family(family, rules)) : ''}
        ${this.opened ? this.renderCustomRule() : ''}
      </div>
    `;
  }

  private renderCustomRule() {
    const { customTitle, customIdea } = strings.rule;
    return html`<div class="family" role="group" aria-label=${customTitle}>
      <button class="rule" role="menuitemradio" tabindex="-1" aria-checked=${isCustomRule(this.rule)} @click=${this.write}><b>${customTitle}</b>
        <span>${customIdea}</span></button>
    </div>`;
  }

  private write(): void {
    this.close();
    this.dispatchEvent(new CustomEvent('own-rule', { bubbles: true, composed: true }));
  }

  private family(family: RuleFamily, rules: readonly RuleFacts[]) {
    const [title, idea] = strings.environments.families[family];
    return html`<div class="family" role="group" aria-labelledby=${family}>
      <div class="title" id=${family} role="presentation">${title} <span>– ${idea}</span></div>
      ${rules.map(
        ({ name, title: short, idea: meaning }) => html`<button class="rule" role="menuitemradio" tabindex="-1"
          aria-checked=${name === this.rule} @click=${() => this.choose(name)}><b>${short}</b>
          <span>${meaning} <i>${strings.rule.units[creditUnit(name)]}</i></span></button>`,
      )}
    </div>`;
  }

  private get items(): HTMLElement[] {
    return [...this.menu.querySelectorAll<HTMLElement>('.rule')];
  }

  /** Places the menu below the button and inside the window. On closing, records the location of the focus. */
  private prepare(event: ToggleEvent): void {
    this.isOpen = event.newState === 'open';
    if (!this.isOpen) {
      this.left = this.menu.contains(this.shadowRoot?.activeElement ?? null);
      return;
    }
    this.opened = true;
    const { left, bottom } = this.button.getBoundingClientRect();
    const { menu } = this;
    menu.style.top = `${bottom + GAP}px`;
    menu.style.maxHeight = `calc(100dvh - ${bottom + 2 * GAP}px)`;
    // The right edge of the menu stays inside the window for any width of the menu.
    menu.style.left = `max(${GAP}px, min(${left}px, calc(100vw - ${GAP}px - min(30rem, 100vw - 12px))))`;
  }

  /** Moves the focus to the active rule when the menu opens. On closing, returns a lost focus to the button. */
  private async settle(event: ToggleEvent): Promise<void> {
    if (event.newState === 'open') {
      await this.updateComplete;
      const { items } = this;
      (items.find((item) => item.ariaChecked === 'true') ?? items[0])?.focus();
    } else if (this.left && !this.shadowRoot?.activeElement) this.button.focus();
  }

  private openByKey(event: KeyboardEvent): void {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    this.menu.showPopover();
  }

  private move(event: KeyboardEvent): void {
    const { items } = this;
    const at = items.indexOf(this.shadowRoot?.activeElement as HTMLElement);
    const { length } = items;
    const positions: Readonly<Record<string, number>> = {
      ArrowDown: (at + 1) % length,
      ArrowUp: (at - 1 + length) % length,
      Home: 0,
      End: length - 1,
    };
    if (event.key === 'Escape' || event.key === 'Tab') {
      // Tab continues from the button.
      if (event.key === 'Escape') event.preventDefault();
      this.close();
      return;
    }
    const letter = event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey;
    const next = letter ? this.find(event.key, at) : positions[event.key];
    if (next === undefined) return;
    event.preventDefault();
    items[next]?.focus();
  }

  /**
   * Finds the next rule whose name begins with the typed letters. The same letter repeated moves to the next rule that
   * begins with it.
   */
  private find(letter: string, at: number): number | undefined {
    const now = performance.now();
    const { prefix: letters, at: before } = this.typed;
    this.typed = {
      prefix: now - before < TYPEAHEAD_MS ? letters + letter.toLowerCase() : letter.toLowerCase(),
      at: now,
    };
    const [first = ''] = this.typed.prefix;
    const same = [...this.typed.prefix].every((character) => character === first);
    const prefix = same ? first : this.typed.prefix;
    const titles = this.items.map((item) => item.querySelector('b')?.textContent?.toLowerCase() ?? '');
    const from = same ? at + 1 : at;
    const order = titles.map((_, index) => (from + index + titles.length) % titles.length);
    return order.find((index) => titles[index]?.startsWith(prefix));
  }

  private close(): void {
    this.button.focus();
    this.menu.hidePopover();
  }

  private choose(rule: string): void {
    this.close();
    this.dispatchEvent(new ParameterChangeEvent({ rule }));
  }
}
