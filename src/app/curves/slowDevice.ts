import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { writeViewAddress } from '../address/viewAddress.ts';
import { ParameterChangeEvent } from '../look/pageEvent.ts';
import { base } from '../look/styles.ts';
import type { RunModel } from '../session/runModel.ts';
import { slowDeviceStrings } from '../strings/chartStrings.ts';

/** Number of updates before the note, and the speeds [updates/s] at which it appears (SLOW) and disappears (FAST). */
const FIRST = 3;
const SLOW = 1.5;
const FAST = 2;
/** Number of questions in a small batch. */
const QUESTIONS = 4;

/** Returns true if a run is slow. Between the two limits, returns `wasSlow`. */
export function isSlowRun(
  { metrics, stepsPerSecond }: Pick<RunModel, 'metrics' | 'stepsPerSecond'>,
  wasSlow: boolean,
): boolean {
  if (metrics.length < FIRST || stepsPerSecond === undefined) return false;
  return stepsPerSecond < (wasSlow ? FAST : SLOW);
}

/**
 * Note about a slow device next to the main chart, with two alternatives: smaller batches and recorded runs.
 * @fires parameter-change when the user selects smaller batches (ParameterChangeEvent)
 */
@customElement('tw-slow-device')
export class SlowDevice extends LitElement {
  static override styles = [
    base,
    css`
      p { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: center; margin-top: 0.375rem; font-size: 0.8125rem;
        color: var(--ink-2); font-variant-numeric: tabular-nums; }
      a { color: var(--accent); }
    `,
  ];

  @property({ attribute: false }) run!: RunModel;
  /** Number that changes with the run, because `run` changes in place. */
  @property({ type: Number }) revision = 0;
  private isSlow = false;

  protected override willUpdate(changed: PropertyValues<this>): void {
    this.isSlow = isSlowRun(this.run, changed.has('run') ? false : this.isSlow);
  }

  protected override render() {
    if (!this.isSlow) return nothing;
    const texts = slowDeviceStrings;
    const { claim } = ENVIRONMENTS[this.run.configuration.environment].bands ?? {};
    const { controls, stepsPerSecond = 0 } = this.run;
    const smaller = () => this.dispatchEvent(new ParameterChangeEvent({ questions: QUESTIONS }));
    return html`<p><span>${texts.rate(stepsPerSecond.toFixed(1))}</span>
      ${
        Number(controls.questions) > QUESTIONS
          ? html`<button class="small" title=${texts.batchesHelp} @click=${smaller}>${texts.batches}</button>`
          : nothing
      }
      ${claim ? html`<a href=${writeViewAddress('lab', claim)}>${texts.recorded}</a>` : nothing}</p>`;
  }
}
