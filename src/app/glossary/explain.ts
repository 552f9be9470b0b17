import { css, html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';

/** Shows or hides the help of all controls of a group. */
export class ExplainEvent extends CustomEvent<boolean> {
  constructor(explained: boolean) {
    super('explain', { detail: explained, bubbles: true, composed: true });
  }
}

/**
 * One switch for the help of many controls: a stop of the keyboard for all of them instead of one for each.
 * @fires explain when it is pressed (ExplainEvent)
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
  /** Name of the explained item, for people who do not see its position. */
  @property() term = '';

  protected override render() {
    const { explain, explainAll } = strings.controls;
    return html`<button class="plain" aria-pressed=${this.explained} aria-label=${explainAll(this.term)}
      title=${explainAll(this.term)} @click=${() => this.dispatchEvent(new ExplainEvent(!this.explained))}>${explain}</button>`;
  }
}
