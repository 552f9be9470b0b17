import { format } from 'd3-format';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { DeviceDescription, Metrics } from '../../training/data/protocol.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';

const rate = format('.2~r');
const thousands = format('.3~s');

/** On what it trains, and how fast. */
@customElement('tw-device-line')
export class DeviceLine extends LitElement {
  static override styles = [
    base,
    css`
      p { font-size: 0.8125rem; color: var(--ink-2); font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
      span + span::before { content: ' · '; }
    `,
  ];

  @property({ attribute: false }) device: DeviceDescription | undefined;
  @property({ attribute: false }) latest: Metrics | undefined;
  @property({ type: Number }) stepsPerSecond: number | undefined;
  @property({ type: Boolean }) recorded = false;

  protected override render() {
    const texts = strings.device;
    const { device, latest, stepsPerSecond } = this;
    const measured = latest && !this.recorded ? latest : undefined;
    const parts = [
      this.recorded ? texts.recording : undefined,
      device?.name || undefined,
      device?.software && !this.recorded ? texts.software : undefined,
      stepsPerSecond !== undefined && !this.recorded ? texts.steps(rate(stepsPerSecond)) : undefined,
      measured && texts.tokens(thousands(measured.tokensPerSecond)),
      measured && texts.split(measured.generateMs.toFixed(0), measured.updateMs.toFixed(0)),
    ];
    return html`<p role="group" aria-label=${texts.label}>
      ${parts.map((part) => (part ? html`<span>${part}</span>` : nothing))}
    </p>`;
  }
}
