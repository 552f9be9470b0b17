import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';
import type { PlayedRecording } from './recordedRuns.ts';

/** A step of the recording is wanted: so many updates done. */
export class SeekEvent extends CustomEvent<number> {
  constructor(step: number) {
    super('seek', { detail: step, bubbles: true, composed: true });
  }
}

/**
 * What plays where nothing is trained, what was asked for and does not play, and a slider over its steps.
 * @fires seek (SeekEvent)
 */
@customElement('tw-recording')
export class RecordingPlayer extends LitElement {
  static override styles = [
    base,
    css`
      section { display: flex; flex-wrap: wrap; gap: 0.25rem 0.875rem; align-items: center; font-size: 0.875rem; }
      h2 { font-size: 0.875rem; }
      a { color: var(--accent); }
      label { display: flex; flex: 1 1 14rem; gap: 0.625rem; align-items: center; min-width: 0; }
      input { flex: 1 1 auto; min-width: 0; accent-color: var(--accent); }
      output { color: var(--ink-2); font-variant-numeric: tabular-nums; white-space: nowrap; }
      p { flex-basis: 100%; color: var(--ink-2); max-width: 62rem; }
      .missing { padding-inline-start: 0.5rem; border-inline-start: 3px solid var(--note-line); color: var(--ink); }
      @media (pointer: coarse) { input { min-height: 2.25rem; } }
    `,
  ];

  @property({ attribute: false }) recording!: PlayedRecording;
  /** Updates that were played. */
  @property({ type: Number }) step = 0;
  /** Where the same run is trained; empty where this browser cannot. */
  @property() train = '';

  protected override render() {
    const texts = strings.recording;
    const { recorded, length, notPlayed } = this.recording;
    const { step } = this;
    return html`<section aria-labelledby="title">
      <h2 id="title">${texts.title(recorded.title)}</h2>
      <label><span class="visually-hidden">${texts.slider}</span>
        <input type="range" min="0" max=${length} step="1" .value=${live(String(step))}
          aria-valuetext=${texts.position(step, length)} @input=${this.seek} />
        <output>${step >= length ? texts.ended(length) : texts.position(step, length)}</output>
      </label>
      ${this.train ? html`<a href=${this.train}>${texts.train}</a>` : nothing}
      ${notPlayed.length > 0 ? html`<p class="missing">${texts.notPlayed(recorded.title, notPlayed)}</p>` : nothing}
    </section>`;
  }

  private seek(event: Event): void {
    this.dispatchEvent(new SeekEvent(Number((event.target as HTMLInputElement).value)));
  }
}
