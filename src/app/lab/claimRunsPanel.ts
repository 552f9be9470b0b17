import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import type { Claim, Experiment } from '../../environments/claim.ts';
import type { ExperimentResult } from '../../experiments/claims/claimResult.ts';
import {
  armsOf,
  computeUserDifferences,
  trainedArms,
  type UserDifferences,
} from '../../experiments/claims/claimRuns.ts';
import { signed } from '../../experiments/claims/conclusionText.ts';
import type { Arm } from '../../experiments/compare/arms.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import '../curves/lineChart.ts';
import type { ChartCursorEvent } from '../curves/lineChart.ts';
import { base } from '../look/styles.ts';
import { labStrings } from '../strings/labStrings.ts';
import { laneStrings } from '../strings/runStrings.ts';
import { strings } from '../strings/strings.ts';
import { armTitle, claimCurve, curveLabel } from './claimCurves.ts';
import { curvesOf } from './labClaims.ts';
import {
  type ClaimTraining,
  type LabTrainings,
  LanesController,
  labTrainings,
  type TrainedRun,
} from './labTrainings.ts';

const EMPTY: Pick<ExperimentResult, 'curves'> = { curves: { every: 1, of: {} } };

/** Recorded curves of an experiment, overlaid with its runs on this device. */
@customElement('tw-claim-runs')
export class ClaimRunsPanel extends LitElement {
  static override styles = [
    base,
    css`
      h3 { font-size: 0.9375rem; }
      fieldset { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0.25rem 0 0.5rem; padding: 0; border: 0; font-size: 0.875rem; }
      fieldset label { display: inline-flex; gap: 0.375rem; align-items: center; min-height: 1.625rem; }
      .charts { display: grid; gap: 1rem 1.25rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); }
      .act { display: flex; flex-wrap: wrap; gap: 0.375rem 0.75rem; align-items: center; margin-top: 0.625rem; font-size: 0.875rem;
        font-variant-numeric: tabular-nums; }
      .act label { display: inline-flex; gap: 0.375rem; align-items: center; }
      input[type='number'] { width: 4.5rem; }
      progress { width: min(14rem, 100%); accent-color: var(--accent); }
      .lanes { display: grid; gap: 0.125rem; margin: 0.375rem 0 0; padding: 0; list-style: none; font-size: 0.8125rem;
        font-variant-numeric: tabular-nums; color: var(--ink-2); }
      .lanes progress { width: 7rem; }
      .lanes li { display: flex; flex-wrap: wrap; gap: 0.125rem 0.625rem; align-items: center; }
      h4 { margin: 0.625rem 0 0.125rem; font-size: 0.875rem; font-weight: 620; }
      .own { margin: 0 0 0.5rem; padding-inline-start: 1.25rem; font-size: 0.875rem; line-height: 1.5; font-variant-numeric: tabular-nums; }
      .problem { color: var(--bad); }
    `,
  ];

  @property({ attribute: false }) claim!: Claim;
  @property({ attribute: false }) experiment!: Experiment;
  /** Recorded result of the experiment, if there is one. */
  @property({ attribute: false }) result: ExperimentResult | undefined;
  @property({ attribute: false }) trainings: LabTrainings = labTrainings;
  @state() private name: string | undefined;
  @state() private seed = 1;
  @state() private cursor: number | null = null;
  /** Cached differences of the finished runs. They are recomputed when another run finishes. */
  private claimRuns:
    | {
        readonly training: ClaimTraining;
        readonly finished: number;
        readonly userDifferences: readonly UserDifferences[];
      }
    | undefined;

  constructor() {
    super();
    new LanesController(this, () => this.trainings.lanes);
  }

  protected override render() {
    const texts = labStrings.curves;
    const names = curvesOf(this.environment);
    const name = names.find((candidate) => candidate === this.name) ?? names[0];
    const training = this.trainings.of(this.claim, this.experiment);
    return html`<div @chart-cursor=${this.follow}>
      <h3>${texts.title}</h3>
      ${this.controls(training)}
      ${
        names.length > 1
          ? html`<fieldset><legend class="visually-hidden">${texts.of}</legend>${names.map(
              (option) =>
                html`<label><input type="radio" name="curve" .checked=${live(option === name)} @change=${() => (this.name = option)} />${curveLabel(this.environment, option)}</label>`,
            )}</fieldset>`
          : nothing
      }
      ${name === undefined ? nothing : this.charts(name, training)}
    </div>`;
  }

  private get environment(): EnvironmentName {
    return this.experiment.environment as EnvironmentName;
  }

  private charts(name: string, training: ClaimTraining | undefined) {
    const all = training?.all ?? [];
    const runs = (arm: Arm) => all.filter(({ run, metrics }) => run.arm.name === arm.name && metrics.length > 0);
    return html`<div class="charts">${trainedArms(this.experiment).map((arm) => {
      const steps = this.experiment.steps + (arm.switch?.step ?? 0);
      const userRuns = runs(arm).map(({ run, metrics }) => ({ seed: run.seed, metrics }));
      const request = { arm: arm.name, title: armTitle(arm), name, steps };
      const { chart, metrics } = claimCurve(this.result ?? EMPTY, request, userRuns);
      return html`<tw-line-chart .chart=${chart} .metrics=${metrics} .cursor=${this.cursor} .noPoint=${labStrings.curves.noPoint}
        .about=${() => `${this.claim.id}: ${armTitle(arm)}`}></tw-line-chart>`;
    })}</div>`;
  }

  private controls(training: ClaimTraining | undefined) {
    const texts = labStrings.runs;
    const { seeds } = this.experiment;
    const arms = trainedArms(this.experiment).length;
    const elsewhere = armsOf(this.experiment).length - arms;
    const run = (chosen: readonly number[]) => () => this.trainings.start(this.claim, this.experiment, chosen);
    const all = Array.from({ length: seeds }, (_, index) => index + 1);
    return html`<div class="act">
        <label>${texts.seed}<input type="number" min="1" max=${seeds} step="1" .value=${String(this.seed)} @change=${this.sow} /></label>
        <button ?disabled=${training?.running} @click=${run([this.seed])}>${texts.single(arms)}</button>
        <button ?disabled=${training?.running} @click=${run(all)}>${texts.all(seeds, arms)}</button>
        <span class="muted">${texts.backgroundNote}${elsewhere > 0 ? ` ${texts.elsewhere(elsewhere)}` : nothing}</span>
      </div>
      ${training ? this.progress(training) : nothing}`;
  }

  private progress(training: ClaimTraining) {
    const texts = labStrings.runs;
    const { updates, finished, runs, running, problem } = training;
    const active = training.all.filter(({ state }) => state === 'going');
    return html`<div class="act">
        <progress max=${updates.all} .value=${updates.done} aria-label=${texts.progress}></progress>
        <span role="status">${texts.finished(finished, runs.length)}</span>
        ${running ? html`<span>${laneStrings.seeds.left(training.left)}</span>` : nothing}
        ${
          running
            ? html`<button class="small" @click=${() => training.stop()}>${laneStrings.seeds.stop}</button>`
            : finished < runs.length
              ? html`<button class="small" @click=${() => this.trainings.goOn(training)}>${laneStrings.seeds.goOn}</button>`
              : nothing
        }
      </div>
      ${problem === undefined ? nothing : html`<p class="problem" role="alert">${texts.stopped(problem)}</p>`}
      ${this.renderDifferences(training)}
      ${active.length > 0 ? html`<ul class="lanes" aria-label=${texts.lanes}>${active.map((run) => this.lane(run))}</ul>` : nothing}`;
  }

  /** Renders the results of finished runs for each test, next to the recorded values of the same seeds. */
  private renderDifferences(training: ClaimTraining) {
    const { finished } = training;
    if (this.claimRuns?.training !== training || this.claimRuns.finished !== finished) {
      const done = training.all.filter(({ state }) => state === 'done');
      this.claimRuns = { training, finished, userDifferences: computeUserDifferences(this.experiment, done) };
    }
    const texts = labStrings.runs;
    const { userDifferences } = this.claimRuns;
    if (userDifferences.length === 0) return nothing;
    return html`<h4>${texts.here}</h4><ul class="own">${userDifferences.map(
      (outcome) =>
        html`<li>${outcome.test.statement}: ${outcome.differences.map(({ seed, difference }) => this.atSeed(outcome, seed, difference)).join('; ')}</li>`,
    )}</ul>`;
  }

  private atSeed({ test, higher, lower }: UserDifferences, seed: number, difference: number): string {
    const { statement, unit } = test;
    const recorded = this.result?.outcomes
      .flatMap((outcome) => (outcome.kind === 'paired' ? [outcome] : []))
      .find((outcome) => outcome.test.statement === statement && outcome.higher === higher && outcome.lower === lower)
      ?.differences.find((entry) => entry.seed === seed)?.difference;
    return labStrings.runs.atSeed(
      seed,
      `${signed(difference, unit)} ${unit ?? labStrings.figure.points}`,
      recorded === undefined ? undefined : signed(recorded, unit),
    );
  }

  private lane({ run, metrics, status }: TrainedRun) {
    const texts = labStrings.runs;
    const title = texts.lane(armTitle(run.arm), run.seed);
    const doing = status && status !== 'playing' ? strings.status[status] : '';
    return html`<li><progress max=${run.steps} .value=${metrics.length} aria-label=${title}></progress>
      <span>${title}</span><span>${texts.step(metrics.length, run.steps)}</span><span>${doing}</span></li>`;
  }

  private sow(event: Event): void {
    const field = event.target as HTMLInputElement;
    const value = Math.round(Number(field.value) || 1);
    this.seed = Math.min(this.experiment.seeds, Math.max(1, value));
    field.value = String(this.seed);
  }

  private follow(event: ChartCursorEvent): void {
    event.stopPropagation();
    this.cursor = event.detail;
  }
}
