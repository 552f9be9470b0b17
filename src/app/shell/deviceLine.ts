import { format } from 'd3-format';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { DeviceDescription, Metrics } from '../../training/data/protocol.ts';
import { base } from '../look/styles.ts';
import { PACES, type PaceChoice, readPace, STANDARD_PACE } from '../session/paceChoice.ts';
import { paceStrings } from '../strings/paceStrings.ts';
import { strings } from '../strings/strings.ts';

const rate = format('.2~r');
const thousands = format('.3~s');

/** Another pace was chosen. */
export class PaceEvent extends CustomEvent<PaceChoice> {
  constructor(pace: PaceChoice) {
    super('pace', { detail: pace, bubbles: true, composed: true });
  }
}

/** Below this share of the pace a device is called slower. */
const NEARLY = 0.95;

/**
 * On what it trains, and how fast.
 * @fires pace when another one is chosen (PaceEvent)
 */
@customElement('tw-device-line')
export class DeviceLine extends LitElement {
  static override styles = [
    base,
    css`
      p { font-size: 0.8125rem; color: var(--ink-2); font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
      span + span::before { content: ' · '; }
      label { display: inline-flex; align-items: center; gap: 0.375rem; margin-inline-end: 0.75rem; }
      select { color: var(--ink); }
    `,
  ];

  @property({ attribute: false }) device: DeviceDescription | undefined;
  @property({ attribute: false }) latest: Metrics | undefined;
  @property({ type: Number }) stepsPerSecond: number | undefined;
  @property({ type: Boolean }) recorded = false;
  /** Most updates a second; null for as many as there can be. */
  @property({ attribute: false }) pace = STANDARD_PACE;

  protected override render() {
    const texts = strings.device;
    const { device, latest, pace, stepsPerSecond } = this;
    const slower = stepsPerSecond !== undefined && pace !== null && stepsPerSecond < NEARLY * pace && !this.recorded;
    const measured = latest && !this.recorded ? latest : undefined;
    const parts = [
      slower ? paceStrings.slower(rate(stepsPerSecond)) : undefined,
      this.recorded ? texts.recording : undefined,
      device?.name || undefined,
      device?.software && !this.recorded ? texts.software : undefined,
      stepsPerSecond !== undefined && !this.recorded && !slower ? texts.steps(rate(stepsPerSecond)) : undefined,
      measured && texts.tokens(thousands(measured.tokensPerSecond)),
      measured && texts.split(measured.generateMs.toFixed(0), measured.updateMs.toFixed(0)),
    ];
    return html`<p role="group" aria-label=${texts.label}>
      <label title=${paceStrings.help}>${paceStrings.label}
        <select @change=${this.choose}>
          ${PACES.map(
            (one) =>
              html`<option value=${String(one)} .selected=${one === pace}>${
                one === null ? paceStrings.fastest : paceStrings.perSecond(one)
              }</option>`,
          )}
        </select></label>
      ${parts.map((part) => (part ? html`<span>${part}</span>` : nothing))}
    </p>`;
  }

  private choose(event: Event): void {
    const pace = readPace((event.target as HTMLSelectElement).value);
    if (pace !== undefined) this.dispatchEvent(new PaceEvent(pace));
  }
}
