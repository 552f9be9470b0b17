import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Status, WarmStartProgress } from '../../training/data/protocol.ts';
import { pageEvent } from '../look/pageEvent.ts';
import { base, panel, progressLine } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';

/** Number of steps that determine the pace; older steps may have been slower or faster. */
const WINDOW = 40;
/** Minimum number of steps for an estimate; with fewer steps, the estimate is unstable. */
const FEWEST = 4;
/** Minimum time between the first and the last step for an estimate. */
const SHORTEST_MS = 1500;

/** Estimates the remaining time of a task with a known number of steps, from the pace of the last steps. */
export class Pace {
  private recentSteps: { readonly left: number; readonly at: number }[] = [];

  /**
   * Records a completed step.
   * @param left number of remaining steps
   * @param at time of the step [ms], on any clock
   */
  note(left: number, at: number): void {
    const last = this.recentSteps.at(-1);
    if (last?.left === left) return;
    // More remaining steps than before belong to a new task.
    const retained = last && last.left < left ? [] : this.recentSteps;
    this.recentSteps = [...retained, { left, at }].slice(-WINDOW);
  }

  /** Estimated remaining time [s]; undefined if there are too few recorded steps. */
  get secondsLeft(): number | undefined {
    const [first] = this.recentSteps;
    const last = this.recentSteps.at(-1);
    if (!first || !last || this.recentSteps.length < FEWEST || last.at - first.at < SHORTEST_MS) return undefined;
    return ((last.at - first.at) / (first.left - last.left)) * last.left * 1e-3;
  }
}

type TransportAction = 'play' | 'pause' | 'step' | 'reset';

export class TransportEvent extends pageEvent<TransportAction>('transport') {}

/**
 * Transport buttons: play or pause, and one step.
 * @fires transport when the user presses a button (TransportEvent)
 */
@customElement('tw-transport')
export class Transport extends LitElement {
  static override styles = [
    base,
    css`
      :host { min-width: 0; }
      div { display: flex; align-items: center; gap: 0.375rem; flex-wrap: wrap; }
      .play { min-width: 5.25rem; }
      svg { width: 0.8em; height: 0.8em; fill: currentcolor; }
      @media (max-width: 640px) { button { padding-inline: 0.4rem; } }
    `,
  ];

  @property() status: Status = 'loading';

  protected override render() {
    const texts = strings.transport;
    const isRunning = this.status === 'playing' || this.status === 'hidden';
    const idle = this.status === 'paused';
    const dead = this.status === 'stopped' || this.status === 'recovering';
    const busy = this.status === 'loading' || this.status === 'warming' || this.status === 'measuring';
    const icon = isRunning ? 'M1 1h3v10H1zM7 1h3v10H7z' : 'M2 0.5 11 6 2 11.5z';
    return html`
      <div role="group" aria-label=${texts.label}>
        <button class="primary play" ?disabled=${dead || busy}
          @click=${() => this.dispatchAction(isRunning ? 'pause' : 'play')}>
          <svg viewBox="0 0 12 12" aria-hidden="true"><path d=${icon} /></svg>${isRunning ? texts.pause : texts.play}
        </button>
        <button ?disabled=${!idle && !isRunning} title=${texts.stepHelp}
          @click=${() => this.dispatchAction('step')}>${texts.step}</button>
      </div>
    `;
  }

  private dispatchAction(action: TransportAction): void {
    this.dispatchEvent(new TransportEvent(action));
  }
}

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
