import { css, html, LitElement } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { base } from '../look/styles.ts';
import type { RunModel } from '../session/runModel.ts';
import { runSentence } from './runSentence.ts';

/** One sentence about the current state of a run. Screen readers announce it only when its kind changes. */
@customElement('tw-sentence')
export class SentenceLine extends LitElement {
  static override styles = [
    base,
    css`
      @media (max-width: 640px) { p:first-child { min-height: 3lh; } }
      p { min-height: 2lh; max-width: 44rem; font-size: 1.0625rem; line-height: 1.4; font-variant-numeric: tabular-nums; }
    `,
  ];

  @property({ attribute: false }) run!: RunModel;
  /** Number that changes with the run. Lit does not detect changes inside the run, which stays the same object. */
  @property({ type: Number }) revision = 0;
  @state() private announced = { kind: '', text: '' };

  protected override render() {
    const sentence = runSentence(this.run);
    if (sentence.kind !== this.announced.kind) this.announced = sentence;
    return html`<p aria-hidden="true">${sentence.text}</p>
      <p class="visually-hidden" role="status">${this.announced.text}</p>`;
  }
}
