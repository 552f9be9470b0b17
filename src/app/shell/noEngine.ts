import { css, html, LitElement } from 'lit';
import { customElement } from 'lit/decorators.js';
import { base, panel } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';

/** Advice for a browser with neither WebAssembly SIMD nor WebGPU. */
@customElement('tw-no-engine')
export class NoEngine extends LitElement {
  static override styles = [
    base,
    panel,
    css`
      :host { border-inline-start: 5px solid var(--accent); margin-top: 0.875rem; padding-block: 0.5rem; }
      section { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: baseline; }
      details { flex: 1 1 auto; }
      details[open] { flex-basis: 100%; }
      p { margin: 0.375rem 0 0.5rem; max-width: 62rem; font-size: 0.875rem; }
      summary { font-weight: 600; font-size: 0.875rem; }
      dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.375rem 1rem; margin: 0.5rem 0 0;
        font-size: 0.875rem; }
      dt { font-weight: 600; }
      dd { margin: 0; overflow-wrap: anywhere; }
      @media (max-width: 480px) { dl { grid-template-columns: 1fr; gap: 0.125rem; } dd { margin-bottom: 0.375rem; } }
    `,
  ];

  protected override render() {
    const texts = strings.noEngine;
    return html`<section aria-labelledby="title">
      <h2 id="title">${texts.title}</h2>
      <details>
        <summary>${texts.how}</summary>
        <p>${texts.body}</p>
        <dl>${texts.browsers.map(([browser, advice]) => html`<dt>${browser}</dt><dd>${advice}</dd>`)}</dl>
      </details>
    </section>`;
  }
}
