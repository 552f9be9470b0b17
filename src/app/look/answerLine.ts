import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import type { Answer } from './answers.ts';
import { base } from './styles.ts';

/**
 * Message about the result of a press, next to the pressed button. Screen readers announce a message once, and a
 * failure immediately. A new message is scrolled into view.
 */
@customElement('tw-answer')
export class AnswerElement extends LitElement {
  static override styles = [
    base,
    css`
      p { margin-top: 0.5rem; padding: 0.375rem 0.625rem; border: 1px solid var(--note-line); border-radius: 6px;
        background: var(--note-ground); font-size: 0.8125rem; line-height: 1.4; overflow-wrap: anywhere; }
      .failed { border-color: var(--bad); border-inline-start-width: 4px; background: var(--bad-ground); }
      @media print { :host { display: none; } }
    `,
  ];

  @property({ attribute: false }) answer: Answer | undefined;

  protected override render() {
    const { answer } = this;
    // A new element for each answer, so that screen readers also announce a repeated text.
    const message = answer && keyed(answer, html`<p class=${answer.failed ? 'failed' : 'done'}>${answer.text}</p>`);
    return html`<div role="status">${answer?.failed ? nothing : message}</div>
      <div role="alert">${answer?.failed ? message : nothing}</div>`;
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('answer') && this.answer) this.scrollIntoView({ block: 'nearest' });
  }
}
