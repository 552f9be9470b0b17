import { html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { ModelProgress, Status } from '../../training/data/protocol.ts';
import { base, panel, progressLine } from '../look/styles.ts';
import { Pace } from '../runs/pace.ts';
import { modelStrings } from '../strings/modelStrings.ts';
import { strings } from '../strings/strings.ts';
import { TransportEvent } from './transport.ts';

/**
 * How far the reward model is that the run waits for, how long it will take, and how to stop it.
 * @fires transport with `pause`
 */
@customElement('tw-model-making')
export class ModelMaking extends LitElement {
  static override styles = [base, panel, progressLine];

  /** Undefined where no model is made. */
  @property({ attribute: false }) progress: ModelProgress | undefined;
  @property({ attribute: false }) status: Status = 'loading';
  private pace = new Pace();

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('progress')) return;
    const { progress } = this;
    if (progress?.stage !== changed.get('progress')?.stage) this.pace = new Pace();
    if (progress) this.pace.note(progress.of - progress.done, performance.now());
  }

  protected override render() {
    const texts = modelStrings;
    const { progress } = this;
    if (!progress) return nothing;
    const { noise, bias, stage, done, of, right } = progress;
    const goesOn = this.status === 'playing' || this.status === 'measuring';
    return html`<section aria-labelledby="title">
      <header><h2 id="title">${texts.title(noise, bias)}</h2><span class="caption">${texts.why}</span></header>
      <progress max=${of} .value=${done} aria-labelledby="title"></progress>
      <p class="line">
        <span>${texts[stage](done, of)}</span>
        ${right === undefined ? nothing : html`<span class="muted">${texts.right((100 * right).toFixed(0))}</span>`}
        ${goesOn ? this.goingOn() : html`<span>${texts.stopped}</span>`}
      </p>
    </section>`;
  }

  private goingOn() {
    const texts = modelStrings;
    return html`<span class="muted">${strings.warming.left(this.pace.secondsLeft)}</span>
      <button class="small" title=${texts.stopHelp} @click=${() => this.dispatchEvent(new TransportEvent('pause'))}>${texts.stop}</button>`;
  }
}
