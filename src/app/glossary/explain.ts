import { css, html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';

/** Request to show (true) or hide (false) the help of all controls of a group. */
export class ExplainEvent extends CustomEvent<boolean> {
  constructor(explained: boolean) {
    super('explain', { detail: explained, bubbles: true, composed: true });
  }
}

/**
 * Toggle button that shows the help of a group of controls. One button per group needs fewer tab stops than one per
 * control.
 * @fires explain when the button is pressed (ExplainEvent)
 */
@customElement('tw-explain')
export class Explain extends LitElement {
  static override styles = [
    base,
    css`
      :host { display: inline-block; }
      button { color: var(--ink-2); font-size: 0.75rem; }
      button[aria-pressed='true'] { color: var(--ink); border-color: var(--line-2); }
    `,
  ];

  @property({ type: Boolean }) explained = false;
  /** Name of the explained group, for the accessible label of the button. */
  @property() term = '';

  protected override render() {
    const { explain, explainAll } = strings.controls;
    return html`<button class="plain" aria-pressed=${this.explained} aria-label=${explainAll(this.term)}
      title=${explainAll(this.term)} @click=${() => this.dispatchEvent(new ExplainEvent(!this.explained))}>${explain}</button>`;
  }
}
