import { css, html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';
import { writePageQuery } from './embedding.ts';

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
    const query = writePageQuery(this.configuration, this.compared);
    return html`<a href=${query} target="_blank" rel="noopener">${strings.shell.embed.full}</a>`;
  }
}
