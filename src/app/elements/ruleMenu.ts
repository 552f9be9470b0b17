import { css, html, LitElement } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import type { CreditRule } from '../../credit/rule.ts';
import type { EnvironmentName } from '../../training/configuration.ts';
import { strings } from '../strings.ts';
import { base } from '../styles.ts';
import { type RuleFamily, ruleFamilies } from '../tables.ts';
import { ParameterChangeEvent } from './parameterControl.ts';

/** Space between the button and its menu, and between the menu and the edge of the window, CSS pixels. */
const GAP = 6;

/** A button that opens all rules, family by family, each with its idea. Nothing changes before one is pressed. */
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
      h2 { padding: 0 0.5rem; font-size: 0.8125rem; }
      h2 span { font-weight: 400; color: var(--ink-2); }
      .rule { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: 0 0.75rem; width: 100%;
        margin-top: 0.125rem; padding: 0.3rem 0.5rem; border-color: transparent; background: none; text-align: start;
        justify-items: start; align-items: baseline; }
      .rule b { font-weight: 600; }
      .rule span { font-size: 0.8125rem; line-height: 1.3; color: var(--ink-2); }
      .rule[aria-pressed='true'] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
      @media (max-width: 400px) {
        .open { padding: 0 0.5rem; }
        .word { display: none; }
        .rule { grid-template-columns: minmax(0, 1fr); }
      }
      @media (forced-colors: active) { .rule[aria-pressed='true'] { outline: 2px solid Highlight; } }
    `,
  ];

  @property() environment: EnvironmentName = 'search';
  @property() rule = '';
  @property({ type: Boolean }) disabled = false;
  /** The list is made when it is first opened. */
  @state() private opened = false;
  @query('.open') private button!: HTMLButtonElement;
  @query('.menu') private menu!: HTMLElement;

  protected override render() {
    const texts = strings.rule;
    return html`
      <button class="open" ?disabled=${this.disabled} popovertarget="menu" aria-label=${texts.moreLabel}
        title=${this.disabled ? texts.notInRecording : texts.moreLabel}><span class="word">${texts.more}</span> <span aria-hidden="true">▾</span></button>
      <div id="menu" class="menu" popover role="group" aria-label=${texts.moreLabel}
        @beforetoggle=${this.place} @toggle=${this.focusActive}>
        ${this.opened ? ruleFamilies(this.environment).map(([family, rules]) => this.family(family, rules)) : ''}
      </div>
    `;
  }

  private family(family: RuleFamily, rules: readonly CreditRule[]) {
    const [title, idea] = strings.environments.families[family];
    return html`<div class="family" role="group" aria-labelledby=${family}>
      <h2 id=${family}>${title} <span>– ${idea}</span></h2>
      ${rules.map(
        ({ name, title: short, idea: meaning }) => html`<button class="rule" aria-pressed=${name === this.rule}
          @click=${() => this.choose(name)}><b>${short}</b> <span>${meaning}</span></button>`,
      )}
    </div>`;
  }

  /** Below the button, inside the window. */
  private place(event: ToggleEvent): void {
    if (event.newState !== 'open') return;
    this.opened = true;
    const { left, bottom } = this.button.getBoundingClientRect();
    const { menu } = this;
    menu.style.top = `${bottom + GAP}px`;
    menu.style.maxHeight = `calc(100dvh - ${bottom + 2 * GAP}px)`;
    // Its right edge is kept inside the window whatever its width is.
    menu.style.left = `max(${GAP}px, min(${left}px, calc(100vw - ${GAP}px - min(30rem, 100vw - 12px))))`;
  }

  private async focusActive(event: ToggleEvent): Promise<void> {
    if (event.newState !== 'open') return;
    await this.updateComplete;
    this.menu.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus();
  }

  private choose(rule: string): void {
    this.menu.hidePopover();
    this.button.focus();
    this.dispatchEvent(new ParameterChangeEvent({ rule }));
  }
}
