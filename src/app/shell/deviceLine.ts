import { format } from 'd3-format';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import { type EngineName, EXACT, isExact, WGSL } from '../../training/data/configuration.ts';
import type { DeviceDescription, Metrics, Status } from '../../training/data/protocol.ts';
import { base } from '../look/styles.ts';
import { PACES, type PaceChoice, readPace, STANDARD_PACE } from '../session/paceChoice.ts';
import { engineStrings, paceStrings } from '../strings/runStrings.ts';
import { strings } from '../strings/strings.ts';

const rate = format('.2~r');
const thousands = format('.3~s');

/** Event of the user choosing another pace. */
export class PaceEvent extends CustomEvent<PaceChoice> {
  constructor(pace: PaceChoice) {
    super('pace', { detail: pace, bubbles: true, composed: true });
  }
}

/** Event of the user choosing another engine. */
export class EngineEvent extends CustomEvent<EngineName> {
  constructor(engine: EngineName) {
    super('engine', { detail: engine, bubbles: true, composed: true });
  }
}

/** Engines that the control offers. */
const ENGINES = { exact: EXACT, wgsl: WGSL } as const;

/** Statuses in which a run cannot change its engine. */
const BUSY: readonly Status[] = ['loading', 'warming', 'measuring', 'recovering', 'stopped'];

/** Fraction of the pace below which the device counts as slower. */
const NEARLY = 0.95;

/**
 * Engine, device and speed of a run, with controls for pace and engine.
 * @fires pace when the user chooses another pace (PaceEvent)
 * @fires engine when the user chooses another engine (EngineEvent)
 */
@customElement('tw-device-line')
export class DeviceLine extends LitElement {
  static override styles = [
    base,
    css`
      p { font-size: 0.8125rem; color: var(--ink-2); font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
      span + span::before { content: ' · '; }
      label { display: inline-flex; align-items: center; gap: 0.375rem; margin: 0.125rem 0.75rem 0.125rem 0; }
      select { color: var(--ink); }
    `,
  ];

  @property({ attribute: false }) device: DeviceDescription | undefined;
  @property({ attribute: false }) latest: Metrics | undefined;
  @property({ type: Number }) stepsPerSecond: number | undefined;
  @property() status: Status = 'loading';
  /** Maximum pace of training [updates/s]; null means no limit. */
  @property({ attribute: false }) pace = STANDARD_PACE;

  protected override render() {
    const texts = strings.device;
    const { device, latest, pace, stepsPerSecond } = this;
    const slower = stepsPerSecond !== undefined && pace !== null && stepsPerSecond < NEARLY * pace;
    const parts = [
      slower ? paceStrings.slower(rate(stepsPerSecond)) : undefined,
      device && (isExact(device.engine) ? engineStrings.exact : device.name || undefined),
      device?.software ? texts.software : undefined,
      stepsPerSecond !== undefined && !slower ? texts.steps(rate(stepsPerSecond)) : undefined,
      latest && texts.tokens(thousands(latest.tokensPerSecond)),
      latest && texts.split(latest.generateMs.toFixed(0), latest.updateMs.toFixed(0)),
    ];
    return html`<p role="group" aria-label=${texts.label}>
      <label title=${paceStrings.help}>${paceStrings.label}
        <select @change=${this.choose}>
          ${PACES.map(
            (option) =>
              html`<option value=${String(option)} .selected=${option === pace}>${
                option === null ? paceStrings.fastest : paceStrings.perSecond(option)
              }</option>`,
          )}
        </select></label>
      ${this.engine()}
      ${parts.map((part) => (part ? html`<span>${part}</span>` : nothing))}
    </p>`;
  }

  private engine() {
    const { device, status } = this;
    const chosen = device && isExact(device.engine) ? 'exact' : 'wgsl';
    const options = (['exact', 'wgsl'] as const).map(
      (option) =>
        html`<option value=${option} .selected=${live(device !== undefined && option === chosen)}>${engineStrings.options[option]}</option>`,
    );
    return html`<label title=${engineStrings.help}>${engineStrings.label}
      <select ?disabled=${BUSY.includes(status) || !device} @change=${this.chooseEngine}>${options}</select></label>`;
  }

  private chooseEngine(event: Event): void {
    const select = event.target as HTMLSelectElement;
    this.dispatchEvent(new EngineEvent(ENGINES[select.value as keyof typeof ENGINES]));
    // The select shows the engine of the run, which may stay the same.
    this.requestUpdate();
  }

  private choose(event: Event): void {
    const pace = readPace((event.target as HTMLSelectElement).value);
    if (pace !== undefined) this.dispatchEvent(new PaceEvent(pace));
  }
}
