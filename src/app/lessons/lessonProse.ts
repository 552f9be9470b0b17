import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import { renderTermList, termListStyles } from '../glossary/termList.ts';
import { layoutNextTo } from '../look/popovers.ts';
import { base } from '../look/styles.ts';
import type { GlossaryTerm } from '../strings/glossaryStrings.ts';
import { lessonStrings } from '../strings/lessonStrings.ts';

/** Styles of headings and links on the pages of lessons, the assessment and the notes for teachers. */
export const pageStyles = css`
  h1 { margin: 0.25rem 0; font-size: 1.625rem; line-height: 1.2; letter-spacing: -0.02em; text-wrap: balance; }
  h2 { margin: 1.75rem 0 0.375rem; font-size: 1.1875rem; }
  h3 { margin: 1.25rem 0 0.375rem; font-size: 1rem; }
  a { color: var(--accent); }
  .top { font-size: 0.875rem; }
`;

/** Styles of running text: a larger font than in controls, and a limited line length. */
const proseStyles = css`
  .prose { max-width: 44rem; font-size: 1.0625rem; line-height: 1.6; }
  .prose > * { margin: 0 0 0.75rem; }
  .prose ul, .prose ol { padding-inline-start: 1.25rem; }
  .prose li { margin-bottom: 0.25rem; }
  .prose pre { overflow-x: auto; padding: 0.5rem 0.75rem; border: 1px solid var(--line); border-radius: 8px;
    background: var(--surface); font-size: 0.875rem; }
  .prose code { font-size: 0.9em; }
  .prose table { font-size: 0.9375rem; }
  .prose hr { height: 1.875rem; margin: 1.75rem 0 0.75rem; border: solid var(--line-2); border-width: 1px 0; }
  @media print {
    .prose { max-width: none; font-size: 0.8125rem; line-height: 1.45; }
    .prose hr { height: 1.5rem; margin: 1.5rem 0 0.625rem; }
    .prose li { break-inside: avoid; }
    .prose ol:has(+ hr) { break-after: avoid; }
  }
  .prose a { color: var(--accent); }
  button.word { display: inline; min-height: 0; padding: 0; border: 0; border-radius: 0; background: none; font-size: inherit; line-height: inherit;
    text-decoration: underline dotted; text-underline-offset: 0.2em; text-decoration-color: var(--accent); }
  button.word:hover { background: var(--hover); }
  .meaning { position: fixed; margin: 0; inset: auto; width: min(22rem, calc(100vw - 12px)); padding: 0.75rem 0.875rem;
    overflow: auto; border: 1px solid var(--line-2); border-radius: 10px; color: var(--ink); background: var(--surface);
    box-shadow: 0 8px 28px rgb(0 0 0 / 0.25); }
`;

/** Text of a lesson. A click on a marked term opens its meaning in a popover. */
@customElement('tw-lesson-prose')
export class LessonProse extends LitElement {
  static override styles = [base, proseStyles, termListStyles];

  /**
   * HTML that the build generated from the Markdown of the lesson. The Markdown must not contain HTML
   * (src/lessons/markdown.ts).
   */
  @property() text = '';
  @state() private term: GlossaryTerm | undefined;
  private opener: HTMLElement | undefined;
  @query('.meaning') private meaning!: HTMLElement;

  protected override render() {
    return html`<div class="prose" @click=${this.open}>${unsafeHTML(this.text)}</div>
      <div class="meaning" popover role="group" tabindex="-1" aria-label=${lessonStrings.termHead} @beforetoggle=${this.close}>${this.term ? renderTermList([this.term]) : nothing}</div>`;
  }

  private async open(event: Event): Promise<void> {
    const button = (event.target as Element).closest<HTMLElement>('button.word');
    if (!button) return;
    this.term = button.dataset.word as GlossaryTerm;
    await this.updateComplete;
    layoutNextTo(button, this.meaning, '22rem');
    this.meaning.showPopover();
    this.meaning.focus({ preventScroll: true });
    this.opener = button;
  }

  /** Returns the focus to the term when the popover closes. */
  private close(event: ToggleEvent): void {
    if (event.newState === 'closed' && this.meaning.matches(':focus, :focus-within')) this.opener?.focus();
  }
}
