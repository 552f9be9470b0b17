import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { DEFAULT_VIEW, writeUrl } from '../address/url.ts';
import { VIEW_NAMES, type ViewName, writeViewAddress } from '../address/viewAddress.ts';
import { base } from '../look/styles.ts';
import { viewStrings } from '../strings/shellStrings.ts';
import { strings } from '../strings/strings.ts';

/** Links to the views of the page. The Python sandbox is listed only while it is open; the Inspector links to it. */
@customElement('tw-places')
export class ViewLinks extends LitElement {
  static override styles = [
    base,
    css`
      :host { background: var(--surface); }
      ul { display: flex; gap: 0.25rem; max-width: 100rem; margin: 0 auto; padding: 0 clamp(0.5rem, 1.75vw, 1.25rem);
        list-style: none; overflow-x: auto; }
      a { display: block; padding: 0.375rem 0.5rem; border-bottom: 3px solid transparent; color: var(--ink-2);
        font-size: 0.875rem; text-decoration: none; white-space: nowrap; }
      a:hover { color: var(--ink); background: var(--hover); }
      a[aria-current] { border-color: var(--accent); color: var(--ink); font-weight: 620; }
      a:focus-visible { outline-offset: -3px; }
      @media (pointer: coarse) { a { padding-block: 0.625rem; } }
      @media (max-width: 420px) {
        ul { gap: 0; flex-wrap: wrap; }
        a { padding-inline: 0.3rem; }
        .all a { padding-inline: 0.2rem; font-size: 0.8125rem; }
      }
      @media (max-width: 360px) { ul { padding-inline: 0.25rem; } a, .all a { padding-inline: 0.25rem; font-size: 0.75rem; } }
      @media (forced-colors: active) { a[aria-current] { border-color: Highlight; } }
      @media print { :host { display: none; } }
    `,
  ];

  @property() view: ViewName = VIEW_NAMES[0];

  protected override render() {
    const hasAll = this.view === 'python';
    return html`<nav aria-label=${viewStrings.label}><ul class=${hasAll ? 'all' : ''}>${VIEW_NAMES.filter(
      (view) => view !== 'python' || hasAll,
    ).map(
      (view) => html`<li><a href=${writeViewAddress(view)} aria-current=${view === this.view ? 'page' : nothing}>
        ${viewStrings.views[view]}</a></li>`,
    )}</ul></nav>`;
  }
}

/** Link from an embedded page to the full page with the same run. */
@customElement('tw-full-page')
export class FullPage extends LitElement {
  static override styles = [
    base,
    css`
      :host { display: block; max-width: 100rem; margin: 0 auto; padding: 0 clamp(0.75rem, 2vw, 1.5rem) 0.75rem; text-align: end;
        font-size: 0.8125rem; }
      a { color: var(--accent); }
    `,
  ];

  @property({ attribute: false }) configuration!: RunConfiguration;
  /** Additional runs. */
  @property({ attribute: false }) compared: readonly RunConfiguration[] = [];

  protected override render() {
    const query = writeUrl(this.configuration, DEFAULT_VIEW, this.compared);
    return html`<a href=${query} target="_blank" rel="noopener">${strings.shell.embed.full}</a>`;
  }
}
