import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { truthNote } from '../../environments/notes.ts';
import { groupName, groupUpdate } from '../../rollouts/rolloutBatch.ts';
import type { Command, GroupView } from '../../training/data/protocol.ts';
import type { TruthReport } from '../../training/data/truthReport.ts';
import { VisibleController } from '../drawing/drawing.ts';
import { download } from '../look/download.ts';
import { pageEvent } from '../look/pageEvent.ts';
import { base, panel } from '../look/styles.ts';
import { type RunModel, secondsLeft, type TruthState } from '../session/runModel.ts';
import { truthStrings } from '../strings/truthStrings.ts';
import { type TruthFileEvent, writeTruthFile } from './truthFile.ts';
import type { MeasureEvent } from './truthForm.ts';
import './truthResult.ts';
import '../glossary/panelGlossary.ts';
import './truthForm.ts';

/** Event that requests the start or the cancellation of a measurement. */
export class TruthCommandEvent extends pageEvent<Command>('truth-command') {}

/** Measurement with a description of its source. */
interface Measurement {
  readonly from: string;
  readonly environment: string;
  readonly seed: number;
  readonly report: TruthReport;
}

/**
 * Panel that measures the advantages of turns in a group of the run and compares them with the advantages of rules. It
 * can also show a result file.
 * @fires truth-command when the user starts or cancels a measurement (TruthCommandEvent)
 */
@customElement('tw-truth')
export class TruthPanel extends LitElement {
  static override styles = [
    base,
    panel,
    css`
      .going { display: flex; flex-wrap: wrap; gap: 0.375rem 0.875rem; align-items: center; margin-top: 0.75rem;
        font-size: 0.875rem; }
      progress { inline-size: min(16rem, 100%); accent-color: var(--accent); }
      .note { margin-top: 0.75rem; font-size: 0.875rem; overflow-wrap: anywhere; }
      .problem { color: var(--bad); }
      .shown { margin-top: 0.75rem; border-top: 1px solid var(--line); padding-top: 0.75rem; font-size: 0.875rem; }
      .counts { margin-bottom: 0.5rem; font-weight: 560; }
      .tools { display: flex; gap: 0.375rem; }
      summary { margin-top: 0.5rem; font-size: 0.875rem; font-weight: 620; }
    `,
  ];

  @property({ attribute: false }) run!: RunModel;
  /** True if the form is folded at first. */
  @property({ type: Boolean }) folded = false;
  /** Number that increases with each change of `run`, because `run` changes in place. */
  @property({ type: Number }) revision = 0;
  @state() private file: Measurement | undefined;
  /** Last measurement of a previous run. */
  private old: Measurement | undefined;
  /** Run and measurement at the previous update of the panel. */
  private previousState: { readonly run: RunModel; readonly truth: TruthState | undefined } | undefined;
  private lost = false;
  /**
   * Group that the form offers. The form evaluates all rules on it, so while the run trains, it changes only if the
   * panel is visible. For a paused run it is always the present group, because the worker drops old groups.
   */
  private offered: GroupView | undefined;
  private readonly visibility = new VisibleController(this);
  @state() private cancelling = false;

  protected override willUpdate(_changed: PropertyValues): void {
    const { run, previousState } = this;
    if (this.visibility.visible || run.status !== 'playing' || previousState?.run !== run) this.offered = run.group;
    if (previousState && previousState.run !== run) {
      this.old = readMeasurement(previousState.run, previousState.truth) ?? this.old;
      this.lost = previousState.truth !== undefined && !previousState.truth.ended;
    }
    if (run.truth && run.truth !== previousState?.truth) this.lost = false;
    if (!run.truth || run.truth.ended) this.cancelling = false;
    this.previousState = { run, truth: run.truth };
  }

  protected override render() {
    const texts = truthStrings;
    const { truth, configuration, controls } = this.run;
    const isMeasuring = truth !== undefined && !truth.ended;
    const current = readMeasurement(this.run, truth);
    const displayed = this.file ?? current ?? this.old;
    return html`<section aria-labelledby="title" @measure=${this.measure} @truth-file=${this.open}>
      <header><h2 id="title">${texts.title}</h2><span class="caption">${texts.caption}</span>
        <tw-words-here panel="truth"></tw-words-here></header>
      <details ?open=${!this.folded}><summary>${texts.form.label}</summary>
        <tw-truth-form .environment=${configuration.environment} .controls=${controls} .group=${this.offered}
          ?disabled=${isMeasuring}></tw-truth-form></details>
      ${truth && isMeasuring ? this.renderProgress(truth) : nothing}
      <div role="status">${this.note(truth)}</div>
      ${displayed ? this.result(displayed, displayed === this.old, isMeasuring && displayed === current) : nothing}
      <tw-truth-file ?hasresult=${displayed !== undefined}></tw-truth-file>
    </section>`;
  }

  private renderProgress(truth: TruthState) {
    const texts = truthStrings.inProgress;
    const { progress, startedAt } = truth;
    const left = secondsLeft(truth);
    const message = progress
      ? texts.progress(texts.stages[progress.stage], progress.done, progress.total)
      : startedAt === undefined
        ? texts.waiting
        : texts.starting;
    return html`<div class="going">
      <progress aria-label=${texts.label} max=${progress?.total ?? 1} .value=${progress?.done ?? 0}></progress>
      <span class="number">${message}</span>
      ${left === undefined ? nothing : html`<span class="number muted">${texts.left(texts.seconds(left))}</span>`}
      <button class="small" ?disabled=${this.cancelling} @click=${this.cancel}>${texts.cancel}</button>
      ${this.cancelling ? html`<span class="muted">${texts.cancelling}</span>` : nothing}
    </div>`;
  }

  private note(truth: TruthState | undefined) {
    const texts = truthStrings.ended;
    if (this.lost) return html`<p class="note">${texts.newRun}</p>`;
    if (truth?.ended === 'failed') {
      return html`<p class="note problem">${texts.failed(truth.problem ?? texts.failedShort)}</p>`;
    }
    if (truth?.ended === 'cancelled') {
      return html`<p class="note">${truth.report ? texts.cancelledWith : texts.cancelled}</p>`;
    }
    return truth?.ended === 'complete' ? html`<p class="visually-hidden">${texts.complete}</p>` : nothing;
  }

  private result(displayed: Measurement, before: boolean, soFar: boolean) {
    const texts = truthStrings;
    return html`
      <div class="shown">
        ${before ? html`<p class="muted">${texts.ended.before}</p>` : nothing}
        ${soFar ? html`<p class="muted">${texts.ended.soFar}</p>` : nothing}
        ${displayed.report.plan.split === 'train' ? html`<p class="counts">${this.counts(displayed)}</p>` : nothing}
        <tw-truth-result .report=${displayed.report} .from=${displayed.from}><span class="tools">
          ${this.file ? html`<button class="small" @click=${this.close}>${texts.file.close}</button>` : nothing}
          <button class="small" title=${texts.tools.saveJson} @click=${() => this.save(displayed)}>${texts.tools.json}</button>
        </span></tw-truth-result>
      </div>
    `;
  }

  /** Describes the reward that the measured values include. */
  private counts({ environment, report }: Measurement): string {
    const { configuration } = this.run;
    const isOfRun = report === this.run.truth?.report && environment === configuration.environment;
    const note = isOfRun ? truthNote(configuration.environment, configuration.settings) : undefined;
    return note ?? truthStrings.texts.training;
  }

  private measure(event: MeasureEvent): void {
    this.file = undefined;
    this.dispatchEvent(new TruthCommandEvent({ type: 'measure-truth', request: event.detail }));
  }

  private cancel(): void {
    this.cancelling = true;
    this.dispatchEvent(new TruthCommandEvent({ type: 'cancel-truth' }));
  }

  private open(event: TruthFileEvent): void {
    const { name, environment, seed, report } = event.detail;
    this.file = { from: truthStrings.about.file(name, environment, seed), environment, seed, report };
  }

  private close(): void {
    this.file = undefined;
  }

  private save({ environment, seed, report }: Measurement): void {
    const text = writeTruthFile({ environment, seed, report });
    download(`turnwise-truth-${environment}-seed-${seed}.json`, 'application/json', text);
  }
}

/** Returns the measurement of a run, complete or partial. Returns undefined if it has no report. */
function readMeasurement({ configuration }: RunModel, truth: TruthState | undefined): Measurement | undefined {
  const texts = truthStrings.about;
  const report = truth?.report;
  if (!report) return undefined;
  const { environment, seed } = configuration;
  const { selectedGroup, groups } = report;
  const question = groups[0]?.question ?? '';
  const { step = 0, group = 0, sampleOnly = false } = selectedGroup ?? {};
  const from = sampleOnly
    ? texts.sample(groupUpdate({ step, sampleOnly }), question)
    : texts.selectedTitle(groupName({ step, group, sampleOnly }), question);
  return { from, environment, seed, report };
}
