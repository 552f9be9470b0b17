import { css, html, LitElement } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { clampParameter } from '../../parameters/parameters.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { SEED } from '../../training/data/configurationTables.ts';
import { TransportEvent } from '../controls/transport.ts';
import { layoutNextTo } from '../look/popovers.ts';
import { base } from '../look/styles.ts';
import { presetOf } from '../session/naming.ts';
import type { PaceChoice } from '../session/paceChoice.ts';
import { STANDARD_PACE } from '../session/paceChoice.ts';
import type { RunModel } from '../session/runModel.ts';
import { paceStrings } from '../strings/runStrings.ts';
import { strings } from '../strings/strings.ts';

/** Width of the settings panel. */
const WIDTH = '30rem';

export class SeedEvent extends CustomEvent<number> {
  constructor(seed: number) {
    super('seed', { detail: seed, bubbles: true, composed: true });
  }
}

/** Event of the user switching the keys that control a run on or off. */
export class KeysEvent extends CustomEvent<boolean> {
  constructor(on: boolean) {
    super('keys', { detail: on, bubbles: true, composed: true });
  }
}

/**
 * Button that opens the settings: experiments, start and seed of the run, pace and engine, theme and keys.
 * @fires transport when the user resets the run (TransportEvent)
 * @fires seed when the user enters another seed (SeedEvent)
 * @fires keys when the user switches the keys on or off (KeysEvent)
 */
@customElement('tw-settings')
export class Settings extends LitElement {
  static override styles = [
    base,
    css`
      .panel { position: fixed; margin: 0; inset: auto; width: min(30rem, calc(100vw - 12px)); padding: 0.875rem 1rem; overflow: auto;
        border: 1px solid var(--line-2); border-radius: 10px; color: var(--ink); background: var(--surface);
        box-shadow: 0 8px 28px rgb(0 0 0 / 0.25); }
      @media (max-width: 640px) { button[popovertarget] { padding-inline: 0.4rem; } }
      section + section { margin-top: 0.75rem; padding-top: 0.75rem; border-top: 1px solid var(--line); }
      h2 { margin-bottom: 0.5rem; font-size: 0.875rem; }
      .row { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; font-size: 0.8125rem; }
      .row label { display: inline-flex; gap: 0.375rem; align-items: center; min-height: 1.5rem; }
      .row input[type='number'] { width: 5rem; }
    `,
  ];

  /** First run of the page. */
  @property({ attribute: false }) run!: RunModel;
  /** Run that the panels show. */
  @property({ attribute: false }) selected!: RunModel;
  /** Number that changes with `run` and `selected`, because both change in place. */
  @property({ type: Number }) revision = 0;
  @property({ attribute: false }) pace: PaceChoice = STANDARD_PACE;
  @property({ type: Boolean }) keys = true;
  @state() private isOpen = false;
  @query('button') private button!: HTMLButtonElement;
  @query('.panel') private panel!: HTMLElement;

  protected override render() {
    const texts = strings.settings;
    return html`<button popovertarget="panel">${texts.button}</button>
      <div id="panel" class="panel" popover aria-label=${texts.button} role="dialog" @beforetoggle=${this.position}>
        ${this.isOpen ? this.content() : ''}
      </div>`;
  }

  private content() {
    const texts = strings.settings;
    const { run, selected } = this;
    const { link } = run;
    return html`
      <section><h2>${texts.experiments}</h2>
        <tw-experiments @environment=${this.close} @preset=${this.close} .link=${link} .active=${presetOf(link)} .environment=${selected.configuration.environment}></tw-experiments>
      </section>
      <section><h2>${texts.run}</h2><div class="row">${this.start(run.configuration)}</div>
        <tw-device-line .device=${selected.device} .latest=${selected.metrics.at(-1)} .stepsPerSecond=${selected.stepsPerSecond}
          .pace=${this.pace} .status=${selected.status}></tw-device-line>
      </section>
      <section><h2>${texts.page}</h2><div class="row">
        <tw-theme-switch></tw-theme-switch>
        <label title=${paceStrings.keys.help}><input type="checkbox" .checked=${this.keys}
          @change=${(event: Event) => this.dispatchEvent(new KeysEvent((event.target as HTMLInputElement).checked))} />${paceStrings.keys.label}</label>
      </div><p class="caption">${strings.about}</p></section>`;
  }

  private start({ seed }: RunConfiguration) {
    const texts = strings.transport;
    return html`<button ?disabled=${this.run.status === 'recovering'} title=${texts.resetHelp}
        @click=${() => this.dispatchEvent(new TransportEvent('reset'))}>${texts.reset}</button>
      <label title=${texts.seedHelp}>${texts.seed}
        <input type="number" inputmode="numeric" min=${SEED.min} max=${SEED.max} step="1" .value=${String(seed)}
          @change=${(event: Event) => this.sow(event, seed)} /></label>`;
  }

  private position(event: ToggleEvent): void {
    this.isOpen = event.newState === 'open';
    if (this.isOpen) layoutNextTo(this.button, this.panel, WIDTH);
  }

  /** Closes the panel so that it does not cover the new run. */
  private close(): void {
    this.panel.hidePopover();
  }

  private sow(event: Event, before: number): void {
    const field = event.target as HTMLInputElement;
    const seed = Number(clampParameter(SEED, field.value));
    field.value = String(seed);
    if (seed !== before) this.dispatchEvent(new SeedEvent(seed));
  }
}
