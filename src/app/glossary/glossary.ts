import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { RULE_FACTS } from '../../credit/ruleList.ts';
import { base, panel } from '../look/styles.ts';
import { type GlossaryTerm, glossaryStrings } from '../strings/glossaryStrings.ts';
import { paperLink, ruleText, ruleTextStyles } from './ruleText.ts';
import { renderTermList, termListStyles } from './termList.ts';

/** Glossary of the page: the meanings of all terms, and each credit rule with its full name, formulas and paper. */
@customElement('tw-words')
export class Glossary extends LitElement {
  static override styles = [
    base,
    panel,
    termListStyles,
    ruleTextStyles,
    css`
      details { margin-top: 0.625rem; }
      summary { font-size: 0.875rem; }
      details > dl, .rules, .papers { margin-top: 0.5rem; }
      dl { grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); gap: 0.75rem 1.5rem; }
      .rules { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr));
        gap: 1rem 1.5rem; margin-block: 0.625rem 0; padding: 0; list-style: none; font-size: 0.8125rem; }
      .rules p { margin-top: 0.25rem; line-height: 1.45; overflow-wrap: anywhere; }
      .papers { margin-block: 0.75rem 0; font-size: 0.8125rem; }
      .papers ul { margin: 0.25rem 0 0; padding-inline-start: 1.25rem; }
    `,
  ];

  /** True if the list of terms is open at first. */
  @property({ type: Boolean }) unfolded = false;
  /** Names of the sections that were opened. The content of a section is created when the section is first opened. */
  @state() private opened: ReadonlySet<string> = new Set();

  protected override render() {
    const texts = glossaryStrings;
    const all = Object.keys(texts.meanings) as GlossaryTerm[];
    return html`<section aria-labelledby="title">
      <header><h2 id="title">${texts.title}</h2><span class="caption">${texts.caption}</span></header>
      ${this.folded('words', texts.termsHead, () => renderTermList(all), this.unfolded)}
      ${this.folded('rules', texts.rules, () => this.rules())}
    </section>`;
  }

  private folded(name: string, title: string, content: () => unknown, isOpen = false) {
    const open = (event: Event) => {
      if ((event.target as HTMLDetailsElement).open) this.opened = new Set([...this.opened, name]);
    };
    return html`<details ?open=${isOpen} @toggle=${open}><summary>${title}</summary>${isOpen || this.opened.has(name) ? content() : nothing}</details>`;
  }

  private rules() {
    const texts = glossaryStrings;
    return html`<p class="caption">${texts.rulesCaption}</p>
      <ul class="rules">${RULE_FACTS.map((rule) => html`<li>${ruleText(rule)}</li>`)}</ul>
      <div class="papers"><h3>${texts.papers}</h3>
        <ul>${texts.sources.map(([title, number]) => html`<li>${title}, ${paperLink(number)}</li>`)}</ul></div>`;
  }
}
