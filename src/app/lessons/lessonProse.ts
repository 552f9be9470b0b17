import { html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import { renderTermList, termListStyles } from '../glossary/termList.ts';
import { layoutNextTo } from '../look/popovers.ts';
import { base } from '../look/styles.ts';
import type { GlossaryTerm } from '../strings/glossaryStrings.ts';
import { lessonStrings } from '../strings/lessonStrings.ts';
import { proseStyles } from './lessonStyles.ts';

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
