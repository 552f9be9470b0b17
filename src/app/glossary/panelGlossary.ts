import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { RULE_FACTS } from '../../credit/ruleList.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import { GoEvent } from '../address/viewAddress.ts';
import { layoutNextTo } from '../look/popovers.ts';
import { base } from '../look/styles.ts';
import { type GlossaryTerm, glossaryStrings } from '../strings/glossaryStrings.ts';
import { strings } from '../strings/strings.ts';
import { ruleText, ruleTextStyles } from './ruleText.ts';
import { renderTermList, termListStyles } from './termList.ts';
import { type ExplainedPanel, listTerms } from './terms.ts';

/**
 * Button that opens a popover with the meanings of a panel's terms, or of one term and a credit rule. The popover has a
 * button that opens the glossary.
 * @fires go when the user opens the glossary (GoEvent)
 */
@customElement('tw-words-here')
export class PanelGlossary extends LitElement {
  static override styles = [
    base,
    termListStyles,
    ruleTextStyles,
    css`
      :host { display: inline-block; }
      .open { text-decoration: underline dotted; text-underline-offset: 0.2em; color: var(--ink-2); font-size: 0.8125rem; }
      .list { position: fixed; margin: 0; inset: auto; width: min(26rem, calc(100vw - 12px)); padding: 0.75rem 0.875rem;
        overflow: auto; border: 1px solid var(--line-2); border-radius: 10px; color: var(--ink);
        background: var(--surface); box-shadow: 0 8px 28px rgb(0 0 0 / 0.25); }
      .rule { margin-top: 0.75rem; font-size: 0.8125rem; line-height: 1.45; overflow-wrap: anywhere; }
      .rule p { margin-top: 0.25rem; }
      .list button { margin-top: 0.75rem; }
      @media print { :host { display: none; } }
    `,
  ];

  @property() panel: ExplainedPanel = 'group';
  @property() environment: EnvironmentName | undefined;
  /** Single term to show in place of the terms of `panel`. */
  @property() term: GlossaryTerm | undefined;
  /** Name of the credit rule to show after the terms; empty if no rule is shown. */
  @property() rule = '';
  /** True after the popover was first opened. Its content is created then. */
  @state() private opened = false;
  @query('.open') private button!: HTMLButtonElement;
  @query('.list') private list!: HTMLElement;

  protected override render() {
    const texts = glossaryStrings;
    const { term, panel } = this;
    const label = term
      ? texts.meaningLabel(texts.meanings[term][0])
      : texts.hereLabel(strings.shell.contents.targets[panel]);
    return html`<button class="plain open" popovertarget="list" aria-label=${label}>${term ? texts.meaning : texts.here}</button>
      <div id="list" class="list" popover role="group" aria-label=${label} tabindex="-1" @beforetoggle=${this.toggle}
        @toggle=${this.enter}>
        ${
          this.opened
            ? html`${renderTermList(term ? [term] : listTerms(panel, this.environment))}${this.ruleInForce()}
                <button class="small" @click=${this.all}>${texts.all}</button>`
            : nothing
        }
      </div>`;
  }

  private ruleInForce() {
    const rule = RULE_FACTS.find(({ name }) => name === this.rule);
    if (!rule) return nothing;
    const label = glossaryStrings.ruleLabel(rule.title);
    return html`<div class="rule" role="group" aria-label=${label}>${ruleText(rule)}</div>`;
  }

  private toggle(event: ToggleEvent): void {
    if (event.newState === 'open') {
      this.opened = true;
      layoutNextTo(this.button, this.list, '26rem');
    } else if (this.list.matches(':focus, :focus-within')) this.button.focus();
  }

  /** Moves the focus to the list, so that screen readers announce the meanings and arrow keys scroll them. */
  private enter(event: ToggleEvent): void {
    if (event.newState !== 'open') return;
    this.list.scrollTop = 0;
    this.list.focus({ preventScroll: true });
  }

  private all(): void {
    this.list.hidePopover();
    this.dispatchEvent(new GoEvent('words'));
  }
}
