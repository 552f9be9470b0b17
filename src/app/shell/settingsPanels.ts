import { format } from 'd3-format';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import {
  DEFAULT_ENVIRONMENT,
  ENVIRONMENT_NAMES,
  type EngineName,
  type EnvironmentName,
  EXACT,
  isExact,
  type RunConfiguration,
  WGSL,
} from '../../training/data/configuration.ts';
import type { DeviceDescription, Metrics, Status } from '../../training/data/protocol.ts';
import { type Preset, presetRun, presetsOf, worldOfPreset } from '../../training/data/worlds.ts';
import { manualRadios } from '../controls/ruleSwitch.ts';
import { base } from '../look/styles.ts';
import { describePreset } from '../session/naming.ts';
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

export class PresetEvent extends CustomEvent<Preset> {
  constructor(preset: Preset) {
    super('preset', { detail: preset, bubbles: true, composed: true });
  }
}

/** Event of the user choosing another environment. It requests the standard run of the environment. */
export class EnvironmentEvent extends CustomEvent<EnvironmentName> {
  constructor(environment: EnvironmentName) {
    super('environment', { detail: environment, bubbles: true, composed: true });
  }
}

/**
 * Choice of environments and presets. Each choice begins a new run.
 * @fires environment when the user chooses another environment (EnvironmentEvent)
 * @fires preset when the user chooses a preset (PresetEvent)
 */
@customElement('tw-experiments')
export class Experiments extends LitElement {
  static override styles = [
    base,
    css`
      .choices { display: grid; gap: 0.75rem; }
      .environments { justify-self: start; }
      .environments { display: flex; flex-wrap: wrap; margin: 0; padding: 2px; border: 1px solid var(--line-2); border-radius: 8px;
        min-width: 0; background: var(--ground); }
      .environments legend { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
      .environments label { position: relative; }
      .environments input { position: absolute; inset: 0; opacity: 0; margin: 0; cursor: pointer; }
      .environments label span { display: grid; place-items: center; min-height: 1.75rem; padding: 0 0.75rem;
        border-radius: 6px; font-size: 0.875rem; color: var(--ink-2); }
      .environments input:checked + span { background: var(--surface); color: var(--ink); font-weight: 620;
        box-shadow: 0 0 0 1px var(--line-2); }
      .environments input:focus-visible + span { outline: 2px solid var(--focus); outline-offset: 2px; }
      .presets { display: flex; flex-wrap: wrap; gap: 0.375rem; align-items: center; }
      .of-world { display: flex; flex-wrap: wrap; gap: 0.375rem; align-items: center; }
      .world { font-size: 0.8125rem; color: var(--ink-2); min-width: 6.5rem; }
      .presets button[aria-pressed='true'] {
        border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); font-weight: 600;
      }
      .shows { margin-top: 0.5rem; font-size: 0.875rem; color: var(--ink-2); max-width: 62rem; }
      .sets { font-size: 0.8125rem; }
      @media (pointer: coarse) { .environments span { min-height: 2.375rem; } }
      @media (forced-colors: active) { .environments input:checked + span { outline: 2px solid Highlight; } }
    `,
  ];

  @property() environment: EnvironmentName = DEFAULT_ENVIRONMENT;
  /** Configuration that reproduces the run. */
  @property({ attribute: false }) link: RunConfiguration | undefined;
  /** Name of the run's preset; empty if no preset matches. */
  @property() active = '';
  protected override render() {
    const presets = presetsOf(this.environment);
    const active = presets.find(({ name }) => name === this.active);
    return html`
      <div class="choices">
        ${this.environments()}
        <div class="presets" role="group" aria-label=${strings.presets.label}>${this.worlds(presets)}</div>
      </div>
      ${active ? html`<p class="shows">${this.description(active)}</p>` : nothing}
    `;
  }

  /** Renders the presets, grouped by named world if there are several worlds. */
  private worlds(presets: readonly Preset[]) {
    const titles = [...new Set(presets.map((preset) => worldOfPreset(preset)?.title))];
    const buttons = (items: readonly Preset[]) => items.map((preset) => this.button(preset));
    if (titles.length < 2) return buttons(presets);
    return titles.map((title) => {
      const worldPresets = presets.filter((preset) => worldOfPreset(preset)?.title === title);
      const label = title === undefined ? '' : strings.presets.world(title);
      return html`<div class="of-world" role="group" aria-label=${label}>
        <span class="world" aria-hidden="true">${label}</span>${buttons(worldPresets)}
      </div>`;
    });
  }

  /** Renders the description of a preset and its values. */
  private description(preset: Preset) {
    const { sets, retained } = describePreset(preset, this.link ?? presetRun(preset));
    return html`<span title=${preset.shows}>${preset.shows}</span> <span class="sets">${sets} ${retained}</span>`;
  }

  private environments() {
    const { label, help, each } = strings.environments;
    const choose = (name: EnvironmentName) => () => this.dispatchEvent(new EnvironmentEvent(name));
    return html`<fieldset class="environments" title=${help} @keydown=${manualRadios}>
      <legend>${label}</legend>
      <span id="keys" class="visually-hidden">${strings.manualRadios}</span>
      ${ENVIRONMENT_NAMES.map(
        (name) => html`<label title=${each[name].sentence}><input type="radio" name="environment" value=${name}
          aria-describedby="keys" .checked=${live(name === this.environment)} @change=${choose(name)} /><span>${each[name].title}</span></label>`,
      )}
    </fieldset>`;
  }

  private button(preset: Preset) {
    const { sets } = describePreset(preset, presetRun(preset));
    return html`<button title=${`${preset.shows} ${sets}`} aria-pressed=${preset.name === this.active}
      @click=${() => this.dispatchEvent(new PresetEvent(preset))}>${preset.title}</button>`;
  }
}
