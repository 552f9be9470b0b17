import { html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { WarmStartProgress } from '../../training/data/protocol.ts';
import { base, panel, progressLine } from '../look/styles.ts';
import { Pace } from '../runs/pace.ts';
import { strings } from '../strings/strings.ts';

/**
 * Progress of a warm start with the estimated remaining time, and a button to cancel the warm start.
 * @fires cancel-warm-start when the user presses the button
 */
@customElement('tw-warm-start')
export class WarmStart extends LitElement {
  static override styles = [base, panel, progressLine];

  @property({ attribute: false }) progress: WarmStartProgress | undefined;
  private readonly pace = new Pace();

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('progress') && this.progress) this.pace.note(this.progress.left, performance.now());
  }

  protected override render() {
    const texts = strings.warming;
    const { progress } = this;
    if (!progress) return nothing;
    const { number, stages, stage, step, steps, loss, missed } = progress;
    return html`<section aria-labelledby="title">
      <header><h2 id="title">${texts.title}</h2><span class="caption">${texts.why}</span></header>
      ${missed ? html`<p>${texts.again(missed)}</p>` : nothing}
      <progress max=${steps} .value=${step + 1} aria-labelledby="title"></progress>
      <p class="line">
        <span>${texts.progress(number, stages, stage, step + 1, steps)}</span>
        <span class="muted">${texts.loss(loss.toFixed(3))}</span>
        <span class="muted">${texts.left(this.pace.secondsLeft)}</span>
        <button class="small" title=${texts.cancelHelp} @click=${this.cancel}>${texts.cancel}</button>
      </p>
    </section>`;
  }

  private cancel(): void {
    this.dispatchEvent(new CustomEvent('cancel-warm-start'));
  }
}
