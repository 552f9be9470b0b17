import { css, html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { clampParameter } from '../../parameters/parameters.ts';
import { SEED } from '../../training/data/configurationTables.ts';
import type { Status } from '../../training/data/protocol.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';

export type TransportAction = 'play' | 'pause' | 'step' | 'reset';

export class TransportEvent extends CustomEvent<TransportAction> {
  constructor(action: TransportAction) {
    super('transport', { detail: action, bubbles: true, composed: true });
  }
}

export class SeedEvent extends CustomEvent<number> {
  constructor(seed: number) {
    super('seed', { detail: seed, bubbles: true, composed: true });
  }
}

/**
 * Play or pause, one step, back to the start, and the seed.
 * @fires transport when a button is pressed (TransportEvent)
 * @fires seed when another seed is typed (SeedEvent)
 */
@customElement('tw-transport')
export class Transport extends LitElement {
  static override styles = [
    base,
    css`
      :host { min-width: 0; }
      div { display: flex; align-items: center; gap: 0.375rem; flex-wrap: wrap; }
      .play { min-width: 5.25rem; }
      label { display: inline-flex; align-items: center; gap: 0.375rem; font-size: 0.8125rem; color: var(--ink-2); }
      input { width: 4.5rem; color: var(--ink); }
      svg { width: 0.8em; height: 0.8em; fill: currentcolor; }
      @media (max-width: 1100px) { input { width: 3.75rem; } }
      @media (max-width: 400px) {
        div { gap: 0.25rem; }
        label { gap: 0.25rem; }
        button { padding-inline: 0.4rem; }
        .play { min-width: 4.5rem; }
        input { width: 3.25rem; }
      }
      @media (max-width: 340px) {
        div { gap: 0.1875rem; }
        button { padding-inline: 0.25rem; }
        .play { min-width: 4rem; }
        input { width: 2.5rem; }
      }
    `,
  ];

  @property() status: Status = 'loading';
  @property({ type: Number }) seed = 1;

  protected override render() {
    const texts = strings.transport;
    const going = this.status === 'playing' || this.status === 'hidden';
    const idle = this.status === 'paused';
    const dead = this.status === 'stopped' || this.status === 'recovering';
    const busy = this.status === 'loading' || this.status === 'warming' || this.status === 'measuring';
    const icon = going ? 'M1 1h3v10H1zM7 1h3v10H7z' : 'M2 0.5 11 6 2 11.5z';
    return html`
      <div role="group" aria-label=${texts.label}>
        <button class="primary play" ?disabled=${dead || busy}
          @click=${() => this.tell(going ? 'pause' : 'play')}>
          <svg viewBox="0 0 12 12" aria-hidden="true"><path d=${icon} /></svg>${going ? texts.pause : texts.play}
        </button>
        <button ?disabled=${!idle && !going} title=${texts.stepHelp}
          @click=${() => this.tell('step')}>${texts.step}</button>
        <button ?disabled=${this.status === 'recovering'} title=${texts.resetHelp} @click=${() => this.tell('reset')}>
          ${texts.reset}</button>
        <label title=${texts.seedHelp}>${texts.seed}
          <input type="number" inputmode="numeric" min=${SEED.min} max=${SEED.max} step="1"
            .value=${String(this.seed)} @change=${this.sow} /></label>
      </div>
    `;
  }

  private tell(action: TransportAction): void {
    this.dispatchEvent(new TransportEvent(action));
  }

  private sow(event: Event): void {
    const field = event.target as HTMLInputElement;
    const seed = Number(clampParameter(SEED, field.value));
    field.value = String(seed);
    if (seed !== this.seed) this.dispatchEvent(new SeedEvent(seed));
  }
}
