import { css, html, LitElement } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import type { View } from '../address/url.ts';
import '../look/answerLine.ts';
import type { Answer } from '../look/answers.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';
import { frameCode, frameQuery } from './embedding.ts';

/** HTML code that shows this run inside another page. */
@customElement('tw-embed-code')
export class EmbedCode extends LitElement {
  static override styles = [
    base,
    css`
      details { margin-top: 0.75rem; }
      summary { font-size: 0.875rem; }
      .caption { margin-top: 0.375rem; }
      textarea { display: block; width: 100%; margin-top: 0.5rem; padding: 0.375rem 0.5rem; resize: vertical;
        border: 1px solid var(--line-2); border-radius: 6px; background: var(--ground); color: var(--ink);
        font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: 0.75rem; line-height: 1.4;
        overflow-wrap: anywhere; }
      .actions { display: flex; flex-wrap: wrap; gap: 0.375rem; margin-top: 0.5rem; align-items: center; }
    `,
  ];

  @property({ attribute: false }) view!: View;
  @property({ attribute: false }) configuration!: RunConfiguration;
  /** Additional runs. */
  @property({ attribute: false }) compared: readonly RunConfiguration[] = [];
  @state() private open = false;
  @state() private answer: Answer | undefined;
  @query('textarea') private field!: HTMLTextAreaElement;

  protected override render() {
    const texts = strings.shell.embed;
    return html`<details @toggle=${this.toggle}>
      <summary>${texts.title}</summary>
      ${this.open ? this.content() : ''}
    </details>`;
  }

  private content() {
    const texts = strings.shell.embed;
    const address = new URL(frameQuery(this.configuration, this.view, this.compared), location.href).href;
    return html`<p class="caption">${texts.caption}</p>
      <textarea readonly rows="4" aria-label=${texts.code} spellcheck="false"
        .value=${frameCode(address, texts.frameTitle)}></textarea>
      <div class="actions">
        <button @click=${this.copy}>${texts.copy}</button>
        <a class="button" href=${address} target="_blank" rel="noopener">${texts.preview}</a>
      </div>
      <tw-answer .answer=${this.answer}></tw-answer>`;
  }

  private toggle(event: Event): void {
    this.open = (event.target as HTMLDetailsElement).open;
  }

  private async copy(): Promise<void> {
    const texts = strings.shell.embed;
    try {
      await navigator.clipboard.writeText(this.field.value);
      this.answer = { text: texts.copied, failed: false };
    } catch {
      this.field.select();
      this.answer = { text: texts.copyFailed, failed: true };
    }
  }
}
