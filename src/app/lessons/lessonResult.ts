import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { valueIn } from '../../lessons/expectations.ts';
import type { Lesson, LessonRun } from '../../lessons/lesson.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import type { Mark } from '../curves/chartMarks.ts';
import type { ChartCursorEvent } from '../curves/lineChart.ts';
import { updateOf } from '../curves/series.ts';
import '../curves/lineChart.ts';
import { base } from '../look/styles.ts';
import type { RunModel } from '../session/runModel.ts';
import { lessonStrings } from '../strings/lessonStrings.ts';
import { lessonChart } from './lessonCharts.ts';
import { distance, EMPTY_PREDICTION, isFullyDrawn, type Prediction, predictedAt } from './prediction.ts';

/**
 * Charts of the lines of an experiment. The first chart includes the prediction. After the training, a text reports the
 * distance between the prediction and the result.
 */
@customElement('tw-lesson-result')
export class LessonResult extends LitElement {
  static override styles = [
    base,
    css`
      .others { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); gap: 0.75rem 1.5rem; margin-top: 0.75rem; }
      .said { margin-top: 0.75rem; max-width: 44rem; font-size: 1rem; line-height: 1.5; }
      .said p + p { margin-top: 0.25rem; }
    `,
  ];

  @property({ attribute: false }) lesson!: Lesson;
  @property({ attribute: false }) prediction: Prediction = EMPTY_PREDICTION;
  /** [runs] metrics of each run, up to the number of updates of the lesson. */
  @property({ attribute: false }) runs: readonly (readonly Metrics[])[] = [];
  @property({ attribute: false }) models: readonly RunModel[] = [];
  /** Number that changes with the runs. Lit does not detect changes inside the models. */
  @property({ type: Number }) revision = 0;
  @property({ type: Boolean }) done = false;
  @state() private cursor: number | null = null;

  protected override render() {
    const { lesson, models } = this;
    const [first, ...rest] = lesson.lines;
    const model = models[0];
    if (!model || first === undefined) return nothing;
    return html`<div @chart-cursor=${this.follow}>
        ${this.chart(first, model)}
        <div class="others">${rest.map((line) => this.chart(line, model, true))}</div>
      </div>
      ${this.done ? this.compared() : nothing}`;
  }

  private chart(line: string, model: RunModel, small = false) {
    const { environment } = model.configuration;
    const prediction = small ? undefined : this.prediction;
    const { chart, metrics } = lessonChart(this.lesson, environment, line, prediction, this.runs);
    const marks = small ? [] : changeMarks(this.lesson.runs);
    return html`<tw-line-chart ?large=${!small} .chart=${chart} .metrics=${metrics} .marks=${marks} .cursor=${this.cursor}
      .revision=${this.revision} .about=${() => this.lesson.title} .noPoint=${lessonStrings.run.noPoint}></tw-line-chart>`;
  }

  private follow(event: ChartCursorEvent): void {
    event.stopPropagation();
    this.cursor = event.detail;
  }

  private runAt(name: string): number {
    return this.lesson.runs.findIndex((run) => run.name === name);
  }

  private compared() {
    const texts = lessonStrings.reveal;
    const { predict } = this.lesson;
    const index = this.runAt(predict.run);
    const { steps = 1 } = this.lesson.runs[index] ?? {};
    const points = (this.runs[index] ?? []).map((row) => [updateOf(row), valueIn(row, predict.line)] as const);
    const last = points.findLast(([, value]) => Number.isFinite(value));
    if (!last || !isFullyDrawn(this.prediction)) return nothing;
    const drawn = predictedAt(this.prediction, last[0], steps);
    return html`<div class="said"><p>${texts.end(last[0], drawn, last[1])}</p>
      <p>${texts.apart(distance(this.prediction, points, steps))}</p></div>`;
  }
}

/** Returns the marks of the scheduled changes, with the texts of the lesson. */
function changeMarks(runs: readonly LessonRun[]): readonly Mark[] {
  return runs.flatMap(({ schedule, changes }) =>
    schedule.map(({ step }, index) => {
      const text = changes[index] ?? '';
      return {
        step,
        label: text,
        short: '',
        text: `${lessonStrings.predict.step(step)}: ${text}`,
        rule: true,
        planned: false,
      };
    }),
  );
}
