import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { VisibleController } from '../drawing/drawing.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';

/**
 * Notices that do not stop the run and are not the result of a button, for example an ignored part of a link. Notices
 * appear at the top of the page. If the top is not visible, a new notice appears at the bottom of the window.
 * @fires dismiss when the user dismisses the notices
 */
@customElement('tw-notices')
export class Notices extends LitElement {
  static override styles = [
    base,
    css`
      .notice { display: flex; gap: 0.5rem 1rem; align-items: start; justify-content: space-between;
        padding: 0.5rem 0.875rem;
        border: 1px solid var(--note-line); border-radius: 8px; background: var(--note-ground); font-size: 0.875rem;
        margin-top: 0.875rem; }
      .foot { position: fixed; z-index: 15; inset-inline: 0; bottom: 0; margin: 0 auto; max-width: 48rem; width: 100%;
        border-radius: 8px 8px 0 0; border-bottom: 0; box-shadow: 0 -4px 20px rgb(0 0 0 / 0.2); max-height: 40vh; overflow: auto; }
      ul { margin: 0; padding: 0; list-style: none; min-width: 0; overflow-wrap: anywhere; }
      @media print { :host { display: none; } }
    `,
  ];

  @property({ attribute: false }) notices: readonly string[] = [];
  /** Notices that arrived while the top of the page was not visible. */
  private missed: readonly string[] = [];
  private readonly visibility = new VisibleController(this, '0px');

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('notices')) return;
    const before = changed.get('notices') ?? [];
    // The page opens at its top, so the notices of the first render are visible.
    const unseen =
      this.hasUpdated && !this.visibility.visible ? this.notices.filter((notice) => !before.includes(notice)) : [];
    this.missed = [...this.missed, ...unseen].filter((notice) => this.notices.includes(notice));
  }

  protected override render() {
    return html`<div role="status" aria-label=${strings.notices.region}>
      ${this.list(
        this.notices.filter((notice) => !this.missed.includes(notice)),
        'top',
      )}
      ${this.list(this.missed, 'foot')}
    </div>`;
  }

  private list(notices: readonly string[], where: 'top' | 'foot') {
    if (notices.length === 0) return nothing;
    return html`<div class="notice ${where}">
      <ul>${notices.map((notice) => html`<li>${notice}</li>`)}</ul>
      <button class="small" @click=${this.dismiss}>${strings.notices.dismiss}</button>
    </div>`;
  }

  private dismiss(): void {
    this.dispatchEvent(new CustomEvent('dismiss'));
  }
}
