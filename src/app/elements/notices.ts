import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { strings } from '../strings.ts';
import { base } from '../styles.ts';

/** Things to know that stop nothing: what a link said that was ignored, or that storage is refused. */
@customElement('tw-notices')
export class Notices extends LitElement {
  static override styles = [
    base,
    css`
      .notice { display: flex; gap: 0.5rem 1rem; align-items: start; justify-content: space-between;
        padding: 0.5rem 0.875rem;
        border: 1px solid var(--note-line); border-radius: 8px; background: var(--note-ground); font-size: 0.875rem;
        margin-top: 0.875rem; }
      ul { margin: 0; padding: 0; list-style: none; min-width: 0; overflow-wrap: anywhere; }
      @media print { :host { display: none; } }
    `,
  ];

  @property({ attribute: false }) notices: readonly string[] = [];

  protected override render() {
    return html`<div role="status" aria-label=${strings.notices.region}>
      ${
        this.notices.length === 0
          ? nothing
          : html`<div class="notice">
              <ul>${this.notices.map((notice) => html`<li>${notice}</li>`)}</ul>
              <button class="small" @click=${this.dismiss}>${strings.notices.dismiss}</button>
            </div>`
      }
    </div>`;
  }

  private dismiss(): void {
    this.dispatchEvent(new CustomEvent('dismiss'));
  }
}
