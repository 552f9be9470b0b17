import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import { base } from './styles.ts';

/** Part of the page in which the result of a press is shown, next to the pressed button. */
export type AnswerLocation = 'share' | 'runs';

/** Result of a press: the message to show, and whether the action failed. */
export interface Answer {
  readonly text: string;
  readonly failed: boolean;
}

/** Stores the last answer of each location. A new answer replaces the previous one. */
export class Answers {
  private latest: Partial<Record<AnswerLocation, Answer>> = {};

  /** @param changed callback that runs after each change */
  constructor(private readonly changed: () => void) {}

  at(slot: AnswerLocation): Answer | undefined {
    return this.latest[slot];
  }

  done(slot: AnswerLocation, text: string): void {
    this.put(slot, { text, failed: false });
  }

  failed(slot: AnswerLocation, text: string): void {
    this.put(slot, { text, failed: true });
  }

  /** Removes all answers. Called when another run starts, because the answers belong to the previous run. */
  clear(): void {
    this.latest = {};
    this.changed();
  }

  private put(slot: AnswerLocation, answer: Answer): void {
    this.latest = { ...this.latest, [slot]: answer };
    this.changed();
  }
}

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
