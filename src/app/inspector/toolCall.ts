import { css, html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Span, ToolDetail } from '../../rollouts/rolloutBatch.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { viewStyles } from './viewStyles.ts';

/** Tool call with its output, in which errors and corrections are marked. */
@customElement('tw-tool-call')
export class ToolCall extends LitElement {
  static override styles = [
    base,
    viewStyles,
    css`
      pre { margin: 0.25rem 0 0.5rem; padding: 0.5rem 0.625rem; overflow: auto; border: 1px solid var(--line);
        border-radius: 6px; background: var(--ground); font-size: 0.8125rem; line-height: 1.5; }
      .call { font-size: 0.875rem; overflow-wrap: anywhere; }
      mark { color: inherit; background: none; border-radius: 2px; }
      .wrong { background: var(--bad-ground); text-decoration: underline wavy var(--bad); text-underline-offset: 3px; }
      .changed { background: color-mix(in srgb, var(--series-3) 18%, transparent);
        border-bottom: 2px solid var(--series-3); }
    `,
  ];

  @property({ attribute: false }) tool!: ToolDetail;

  protected override render() {
    const texts = inspectorStrings.turn;
    const { call, answer } = this.tool;
    const marks = new Set(answer.flat().flatMap(({ mark }) => mark ?? []));
    return html`
      <h4>${texts.call}</h4>
      <p class="code call">${call}</p>
      <h4>${texts.answer}</h4>
      ${
        answer.length === 0
          ? html`<p class="caption">${texts.nothing}</p>`
          : html`<pre tabindex="0" role="group" aria-label=${texts.answer}>${answer.map(
              (line, index) => html`${index > 0 ? '\n' : ''}${line.map((span) => this.span(span))}`,
            )}</pre>`
      }
      <ul class="key" ?hidden=${marks.size === 0}>
        ${[...marks].map((mark) => html`<li><mark class=${mark}>abc</mark> ${texts[mark]}</li>`)}
      </ul>
    `;
  }

  private span({ text, mark }: Span) {
    return mark ? html`<mark class=${mark} title=${inspectorStrings.turn[mark]}>${text}</mark>` : text;
  }
}
