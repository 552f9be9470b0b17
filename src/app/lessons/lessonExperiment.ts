import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { type Lesson, lessonRun } from '../../lessons/lesson.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { readUrl } from '../address/url.ts';
import { base, panel } from '../look/styles.ts';
import { sizedAs } from '../session/naming.ts';
import { lessonStrings } from '../strings/lessonStrings.ts';
import { saveAttempt, savedPrediction, savePrediction } from './lessonMemory.ts';
import { lineLabel, stepsOf } from './lessonResult.ts';
import './lessonResult.ts';
import { EMPTY_PREDICTION, isFullyDrawn, ofChoice, type Prediction } from '../../lessons/prediction.ts';
import { LessonTraining, type PreparedRun } from './lessonTraining.ts';
import type { PredictEvent } from './predictChart.ts';
import './predictChart.ts';
import { type Attempt, curvesOf, digestOf, type RunResult } from '../../lessons/results/courseResult.ts';
import type { RunModel } from '../session/runModel.ts';

/** Training of an experiment. */
export interface Trained {
  readonly training: LessonTraining;
  /** True if the address sets another batch size than the lesson. */
  readonly sized: boolean;
}

/** Event when the training of an experiment starts or ends. */
export class TrainedEvent extends CustomEvent<Trained> {
  constructor(trained: Trained) {
    super('trained', { detail: trained, bubbles: true, composed: true });
  }
}

/**
 * Experiment of a lesson in three phases: the user draws a prediction, the runs train, and the result is compared with
 * the prediction.
 * @fires trained when the phase of the training changes, for example at its start and end (TrainedEvent)
 */
@customElement('tw-experiment')
export class LessonExperiment extends LitElement {
  static override styles = [
    base,
    panel,
    css`
      h3 { margin: 0.25rem 0 0.375rem; font-size: 1rem; }
      .question { font-size: 1.0625rem; max-width: 44rem; }
      .how { margin: 0.25rem 0 0.5rem; }
      .choices { display: flex; flex-wrap: wrap; gap: 0.375rem; margin: 0.625rem 0; }
      .actions { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: center; }
      .actions label { display: inline-flex; gap: 0.375rem; align-items: center; font-size: 0.875rem; }
      input[type='number'] { width: 5rem; }
      .state { margin: 0.25rem 0 0.375rem; font-size: 0.875rem; color: var(--ink-2); }
      progress { width: 9rem; accent-color: var(--accent); }
      @media print { .choices, .actions { display: none; } }
    `,
  ];

  @property({ attribute: false }) lesson!: Lesson;
  @state() private prediction: Prediction = EMPTY_PREDICTION;
  /** True if the user started the training before the prediction was complete. */
  @state() private tooEarly = false;
  @state() private seed = 1;
  private readonly linked = readUrl(location.search);
  private training = new LessonTraining(this);
  private lastPhase = this.training.phase;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.training.end();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('lesson')) {
      this.training.end();
      this.prediction = savedPrediction(this.lesson.name) ?? EMPTY_PREDICTION;
      this.tooEarly = false;
      const named = new URLSearchParams(location.search).has('seed');
      this.seed = named ? this.linked.configuration.seed : this.lesson.seed;
    }
  }

  protected override updated(): void {
    if (this.lastPhase === this.training.phase) return;
    this.lastPhase = this.training.phase;
    if (this.lastPhase === 'done') this.save();
    this.dispatchEvent(new TrainedEvent({ training: this.training, sized: this.sized }));
  }

  protected override render() {
    const { parts, run } = lessonStrings;
    const { phase } = this.training;
    return html`<section aria-labelledby="title">
      <h3 id="title">${phase === 'idle' ? parts.predict : phase === 'done' ? parts.reveal : parts.run}</h3>
      ${phase === 'idle' ? this.predict() : this.result()}
      <p class="visually-hidden" role="status">${phase === 'done' ? run.over : ''}</p>
    </section>`;
  }

  private predict() {
    const texts = lessonStrings.predict;
    const { predict, runs } = this.lesson;
    const { schedule, steps, changes } = runs.find(({ name }) => name === predict.run) ?? runs[0];
    const marks = schedule.map(({ step }, index) => ({ step, label: changes[index] ?? '' }));
    return html`<p class="question">${predict.question}</p>
      <p class="how caption">${texts.how} <span>${texts.keys}</span></p>
      <tw-predict-chart .steps=${steps} .line=${this.predictedLine} .prediction=${this.prediction} .marks=${marks}
        @predict=${(event: PredictEvent) => this.draw(event.detail)}></tw-predict-chart>
      <div class="choices" role="group" aria-label=${texts.choices}>
        ${predict.choices.map((choice) => html`<button @click=${() => this.draw(ofChoice(choice, steps))}>${choice.label}</button>`)}
      </div>
      <div class="actions">
        <button class="primary" @click=${this.begin}>${texts.ready}</button>
        ${this.seedField()}
        <button class="small" ?disabled=${this.prediction === EMPTY_PREDICTION} @click=${() => this.draw(EMPTY_PREDICTION)}>${texts.clear}</button>
        <span role="alert">${this.tooEarly ? texts.first : ''}</span>
      </div>`;
  }

  private seedField() {
    const { seed, seedHelp } = lessonStrings.run;
    return html`<label title=${seedHelp}>${seed}<input type="number" min="0" step="1" .value=${String(this.seed)}
      @change=${(event: Event) => this.sow(Number((event.target as HTMLInputElement).value))} /></label>`;
  }

  private result() {
    const texts = lessonStrings.run;
    const { training, lesson } = this;
    const { phase } = training;
    const isRunning = phase === 'opening' || phase === 'training';
    const steps = stepsOf(lesson);
    const step = Number.isFinite(training.step) ? training.step : 0;
    return html`<p class="state">${this.stateText()}</p>
      <div class="actions">
        ${
          isRunning
            ? html`<progress max=${steps} .value=${step} aria-label=${texts.progress(step, steps)}></progress><span class="number">${texts.progress(step, steps)}</span>
          <button class="small" @click=${() => training.stop()}>${texts.stop}</button>`
            : nothing
        }
      </div>
      <tw-lesson-result .lesson=${lesson} .prediction=${this.prediction} .runs=${training.metrics} .models=${training.models}
        .revision=${training.revision} ?done=${phase === 'done'}></tw-lesson-result>
      ${
        isRunning
          ? nothing
          : html`<div class="actions">
              <button @click=${() => this.again(this.seed + 1)}>${texts.nextSeed}</button>
              <button @click=${() => this.again(this.seed)}>${texts.again}</button>
              <button @click=${this.leave}>${lessonStrings.predict.wiped}</button>
            </div>`
      }`;
  }

  private stateText(): string {
    const { state } = lessonStrings.run;
    const { phase, problem } = this.training;
    if (problem) return state.stopped(problem);
    if (phase === 'opening') return state.opening;
    return phase === 'done' ? `${lessonStrings.run.seed} ${this.seed}` : state.training;
  }

  private get predictedLine(): string {
    return lineLabel(this.prepared[0]?.configuration.environment ?? 'search', this.lesson.predict.line);
  }

  /** Runs of the lesson with the seed of the user and the sizes from the address. */
  private get prepared(): readonly PreparedRun[] {
    return this.lesson.runs.map((run) => {
      const sized: RunConfiguration = sizedAs(lessonRun(run), this.linked.configuration);
      return { configuration: { ...sized, seed: this.seed }, steps: run.steps };
    });
  }

  private get sized(): boolean {
    return this.lesson.runs.some((run) => {
      const configuration = lessonRun(run);
      const sized = sizedAs(configuration, this.linked.configuration);
      return Object.entries(configuration.controls).some(([name, value]) => sized.controls[name] !== value);
    });
  }

  private draw(prediction: Prediction): void {
    this.prediction = prediction;
    this.tooEarly = false;
    if (isFullyDrawn(prediction)) savePrediction(this.lesson.name, prediction);
  }

  /** Saves the finished experiment in the results of the user. */
  private save(): void {
    const attempt = attemptOf(this.lesson, this.prediction, this.training);
    if (attempt) saveAttempt(this.lesson.name, attempt);
  }

  private sow(seed: number): void {
    if (Number.isInteger(seed) && seed >= 0 && seed <= 0xffffffff) this.seed = seed;
    this.requestUpdate();
  }

  private begin = (): void => {
    this.tooEarly = !isFullyDrawn(this.prediction);
    if (!this.tooEarly) this.training.start(this.prepared, this.lesson.pace);
  };

  private again(seed: number): void {
    this.sow(seed);
    this.training.start(this.prepared, this.lesson.pace);
  }

  private leave = (): void => {
    this.training.end();
    this.requestUpdate();
  };
}

/** Returns the record of a finished experiment; undefined if the prediction is not complete. */
function attemptOf(
  lesson: Lesson,
  prediction: Prediction,
  { models }: Pick<LessonTraining, 'models'>,
): Attempt | undefined {
  if (!isFullyDrawn(prediction)) return undefined;
  const runs = lesson.runs.flatMap((run, index): RunResult[] => {
    const model = models[index];
    return model ? [{ name: run.name, steps: run.steps, ...summarizeRun(model, lesson.lines, run.steps) }] : [];
  });
  return { prediction, runs, exercises: [] };
}

function summarizeRun({ configuration, device, metrics }: RunModel, lines: readonly string[], steps: number) {
  const curves = curvesOf(metrics, lines, steps);
  return { configuration, device: device?.name ?? '', curves, digest: digestOf(curves) };
}
