import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { PRESETS, type Preset } from '../../training/presets.ts';
import { strings } from '../strings.ts';
import { base } from '../styles.ts';

export class PresetEvent extends CustomEvent<Preset> {
  constructor(preset: Preset) {
    super('preset', { detail: preset, bubbles: true, composed: true });
  }
}

/** One sentence that says what this is, and the presets to begin with. */
@customElement('tw-introduction')
export class Introduction extends LitElement {
  static override styles = [
    base,
    css`
      .lead { font-size: clamp(1.0625rem, 0.95rem + 0.4vw, 1.25rem); line-height: 1.35; max-width: 80rem;
        letter-spacing: -0.01em; text-wrap: pretty; }
      .detail { margin-top: 0.25rem; font-size: 0.875rem; color: var(--ink-2); }
      .presets { display: flex; flex-wrap: wrap; gap: 0.375rem; margin-top: 0.75rem; align-items: center; }
      .presets button[aria-pressed='true'] {
        border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); font-weight: 600;
      }
      .shows { margin-top: 0.5rem; font-size: 0.875rem; color: var(--ink-2); max-width: 62rem; min-height: 1.3em; }
      @media print { .presets { display: none; } }
    `,
  ];

  /** The preset that the run is, if it is one. */
  @property() active = '';
  @property({ type: Boolean }) recorded = false;
  @property({ type: Boolean }) brief = false;

  protected override render() {
    const active = PRESETS.find((preset) => preset.name === this.active);
    const { sentence, detail, recorded } = strings.intro;
    return html`
      ${
        this.brief
          ? nothing
          : html`<p class="lead">${sentence}</p>
            <p class="detail">${this.recorded ? recorded : detail}</p>`
      }
      ${
        this.recorded
          ? nothing
          : html`<div class="presets" role="group" aria-label=${strings.presets.label}>
              ${PRESETS.map((preset) => this.button(preset))}
            </div>
            ${this.brief ? nothing : html`<p class="shows">${active?.shows ?? nothing}</p>`}`
      }
    `;
  }

  private button(preset: Preset) {
    return html`<button title=${preset.shows} aria-pressed=${preset.name === this.active}
      @click=${() => this.dispatchEvent(new PresetEvent(preset))}>${preset.title}</button>`;
  }
}
