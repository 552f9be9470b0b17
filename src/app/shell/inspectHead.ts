import { css, html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Status } from '../../training/data/protocol.ts';
import { writeViewAddress } from '../address/viewAddress.ts';
import { TransportEvent } from '../controls/transport.ts';
import { base } from '../look/styles.ts';
import { viewStrings } from '../strings/shellStrings.ts';
import { strings } from '../strings/strings.ts';

/** Transport button for each status in which a run can be played or paused. */
const STEERED: Readonly<Partial<Record<Status, 'play' | 'pause'>>> = {
  playing: 'pause',
  hidden: 'pause',
  paused: 'play',
};

/**
 * Header of the Inspector, with the state of the Playground's run.
 * @fires transport when the user plays or pauses the run (TransportEvent)
 */
@customElement('tw-inspect-head')
export class InspectHead extends LitElement {
  static override styles = [
    base,
    css`
      h1 { margin: 0 0 0.25rem; font-size: 1.5rem; letter-spacing: -0.02em; }
      .lead { max-width: 48rem; font-size: 1.0625rem; line-height: 1.5; text-wrap: pretty; }
      .run { display: flex; flex-wrap: wrap; gap: 0.375rem 0.75rem; align-items: center; margin-top: 0.5rem;
        font-size: 0.875rem; color: var(--ink-2); font-variant-numeric: tabular-nums; }
      a { color: var(--accent); }
      @media print { .run { display: none; } }
    `,
  ];

  @property() status: Status = 'loading';
  @property({ type: Number }) step = 0;

  protected override render() {
    const texts = viewStrings.inspect;
    const { status } = this;
    const act = STEERED[status];
    return html`<header>
      <h1>${texts.title}</h1>
      <p class="lead">${texts.lead}</p>
      <p class="run">
        <span>${texts.run} <a href=${writeViewAddress('play')}>${texts.link}</a>: ${strings.status[status]} · ${strings.status.step(String(this.step))}</span>
        ${act ? html`<button class="small" @click=${() => this.dispatchEvent(new TransportEvent(act))}>${strings.transport[act]}</button>` : ''}
        <a href=${writeViewAddress('python')}>${texts.python}</a>
      </p>
    </header>`;
  }
}
