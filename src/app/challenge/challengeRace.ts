import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { ruleTitle } from '../../credit/ruleFacts.ts';
import { decodeCustomRule } from '../../credit/rules/custom/customRule.ts';
import { RACE, raceRuns } from '../../experiments/challenge/challengeTask.ts';
import { meanBefore } from '../../lessons/expectations.ts';
import { claimCurve } from '../lab/claimCurves.ts';
import {
  type ClaimTraining,
  type LabTrainings,
  LanesController,
  labTrainings,
  type TrainedRun,
} from '../lab/labTrainings.ts';
import '../curves/lineChart.ts';
import { base } from '../look/styles.ts';
import { challengeStrings } from '../strings/challengeStrings.ts';
import { laneStrings } from '../strings/runStrings.ts';

const EMPTY = { curves: { every: 1, of: {} } };

/** Race of the challenge: trains the custom rule and two built-in rules in parallel from the same seeds. */
@customElement('tw-challenge-race')
export class ChallengeRace extends LitElement {
  static override styles = [
    base,
    css`
      p { max-width: 52rem; margin-top: 0.375rem; line-height: 1.5; }
      .act { display: flex; flex-wrap: wrap; gap: 0.375rem 0.75rem; align-items: center; margin-top: 0.625rem; font-size: 0.875rem;
        font-variant-numeric: tabular-nums; }
      progress { width: min(14rem, 100%); accent-color: var(--accent); }
      .charts { display: grid; gap: 1rem 1.25rem; margin-top: 0.75rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); }
      .problem { color: var(--bad); overflow-wrap: anywhere; }
      .scroll { overflow-x: auto; margin-top: 0.5rem; }
      table { font-variant-numeric: tabular-nums; }
    `,
  ];

  /** Custom rule as encodeCustomRule encodes it; undefined if no rule has a current result. */
  @property() rule: string | undefined;
  @property({ attribute: false }) trainings: LabTrainings = labTrainings;
  /** Custom rule of the last race; undefined before the first race. */
  @state() raced: string | undefined;

  constructor() {
    super();
    new LanesController(this, () => this.trainings.lanes);
  }

  protected override render() {
    const texts = challengeStrings.race;
    const training = this.raced === undefined ? undefined : this.trainings.known(this.raced);
    return html`<section aria-labelledby="title"><h2 id="title">${texts.title}</h2>
      <p>${texts.explanation(RACE.rules.map(ruleTitle).join(texts.and), RACE.steps, RACE.seeds.length)}</p>
      <div class="act"><button class="primary" ?disabled=${this.rule === undefined || training?.running} @click=${this.start}>${texts.start}</button>
        ${this.rule === undefined ? html`<span class="muted">${texts.noRule}</span>` : nothing}</div>
      ${training && this.raced !== undefined ? this.renderProgress(training, this.raced) : nothing}
    </section>`;
  }

  private renderProgress(training: ClaimTraining, raced: string) {
    const texts = challengeStrings.race;
    const { updates, finished, runs, running, problem } = training;
    return html`<div class="act">
        <progress max=${updates.all} .value=${updates.done} aria-label=${texts.progress}></progress>
        <span role="status">${texts.finished(finished, runs.length)}</span>
        ${running ? html`<span>${laneStrings.seeds.left(training.left)}</span><button class="small" @click=${() => training.stop()}>${laneStrings.seeds.stop}</button>` : nothing}
        ${!running && finished < runs.length ? html`<button class="small" @click=${() => this.trainings.goOn(training)}>${laneStrings.seeds.goOn}</button>` : nothing}
      </div>
      ${problem ? html`<p class="problem" role="alert">${problem}</p>` : nothing}
      ${this.table(training, raced)}
      <div class="charts">${this.charts(training, raced)}</div>`;
  }

  private table({ all }: ClaimTraining, raced: string) {
    const texts = challengeStrings.race;
    return html`<div class="scroll" tabindex="0" role="group" aria-label=${texts.result}><table>
      <thead><tr><th scope="col">${challengeStrings.rule}</th>${RACE.seeds.map((seed) => html`<th scope="col">${texts.seed(seed)}</th>`)}
        <th scope="col">${texts.mean}</th></tr></thead>
      <tbody>${rulesOf(raced).map((rule) => {
        const ends = all.filter(({ run }) => run.arm.rule === rule).map(endOf);
        const mean = ends.reduce((sum, value) => sum + value, 0) / ends.length;
        return html`<tr><th scope="row">${titleOf(rule)}</th>${ends.map((value) => html`<td>${percent(value)}</td>`)}<td>${percent(mean)}</td></tr>`;
      })}</tbody></table></div>`;
  }

  private charts({ all }: ClaimTraining, raced: string) {
    return rulesOf(raced).map((rule, index) => {
      const localCurves = all
        .filter(({ run, metrics }) => run.arm.rule === rule && metrics.length > 0)
        .map(({ run, metrics }) => ({ seed: run.seed, metrics }));
      const request = { arm: `race${index}`, title: titleOf(rule), name: RACE.line, steps: RACE.steps };
      const { chart, metrics } = claimCurve(EMPTY, request, localCurves);
      return html`<tw-line-chart .chart=${{ ...chart, caption: challengeStrings.race.chart }} .metrics=${metrics}
        .noPoint=${challengeStrings.race.noPoint} .about=${() => titleOf(rule)}></tw-line-chart>`;
    });
  }

  private start(): void {
    const { rule } = this;
    if (rule === undefined) return;
    const runs = raceRuns(rule).map(({ name, rule: ruleName, seed, steps, configuration }) => ({
      ...{ arm: { name, rule: ruleName, changes: {} }, seed, steps, configuration },
    }));
    this.raced = rule;
    this.trainings.begin(rule, runs);
  }
}

const rulesOf = (customRule: string) => [customRule, ...RACE.rules];
const titleOf = (rule: string) =>
  RACE.rules.some((candidate) => candidate === rule)
    ? ruleTitle(rule)
    : challengeStrings.yours(decodeCustomRule(rule).file);
const percent = (value: number) => (Number.isFinite(value) ? `${(100 * value).toFixed(0)} %` : '–');

/** Returns the final value of a run as the mean of its last measurements; NaN if the run is not finished. */
function endOf({ run, metrics, state: at }: TrainedRun): number {
  return at === 'done' ? meanBefore(metrics, RACE.line, run.steps, RACE.last) : Number.NaN;
}
