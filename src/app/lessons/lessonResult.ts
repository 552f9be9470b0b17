import { mean } from 'd3-array';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { curvesOf } from '../../lessons/results/courseResult.ts';
import { CHARTS, type ChartDefinition } from '../curves/chartDefinitions.ts';
import type { Mark } from '../curves/chartMarks.ts';
import type { ChartCursorEvent } from '../curves/lineChart.ts';
import { lineIn, type SeriesDefinition, type SeriesKey, updateOf } from '../curves/series.ts';
import '../curves/lineChart.ts';
import type { LineKey } from '../../environments/chart.ts';
import { isShare, valueIn } from '../../lessons/expectations.ts';
import type { Lesson, LessonRun } from '../../lessons/lesson.ts';
import { differences, EMPTY_PREDICTION, isFullyDrawn, type Prediction, predictedAt } from '../../lessons/prediction.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { plain } from '../drawing/numbers.ts';
import { base } from '../look/styles.ts';
import type { RunModel } from '../session/runModel.ts';
import { lessonStrings } from '../strings/lessonStrings.ts';

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
    const { [predict.line]: curve = [] } = curvesOf(this.runs[index] ?? [], [predict.line], steps);
    const last = curve.findLastIndex((value) => value !== null);
    const { prediction } = this;
    if (last === -1 || !isFullyDrawn(prediction)) return nothing;
    const apart = Math.round(100 * (mean(differences(prediction, curve, steps)) ?? Number.NaN));
    return html`<div class="said"><p>${texts.end(last + 1, predictedAt(prediction, last + 1, steps), curve[last] ?? Number.NaN)}</p>
      <p>${texts.apart(apart)}</p></div>`;
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

/** Chart with its data. */
interface LessonChart {
  readonly chart: ChartDefinition;
  readonly metrics: readonly Metrics[];
}

const COLOURS = ['--series-1', '--series-3', '--series-4'] as const;
const DASHES = ['', '2 3', '9 3 2 3'];

/** Returns the displayed label of a line, in sentence case. */
export function lineLabel(environment: EnvironmentName, line: string): string {
  const match = CHARTS[environment].main.series.find(({ key }) => key === line);
  const { label } = match ?? lineIn(environment, line as LineKey);
  return `${label.charAt(0).toUpperCase()}${label.slice(1)}`;
}

/**
 * Creates the chart of one line for all runs of a lesson.
 * @param prediction predicted curve to draw as well; undefined if the line is not the predicted one
 * @param runs [runs] metrics of each run
 */
function lessonChart(
  lesson: Lesson,
  environment: EnvironmentName,
  line: string,
  prediction: Prediction | undefined,
  runs: readonly (readonly Metrics[])[],
): LessonChart {
  const texts = lessonStrings.reveal;
  const predicted: readonly SeriesDefinition[] = prediction
    ? [
        {
          key: 'fact:predicted',
          label: texts.predicted,
          short: texts.short,
          colour: '--series-2',
          dash: '7 4',
          sparse: false,
          lasting: true,
        },
      ]
    : [];
  const series = lesson.runs.map(
    ({ label }, index): SeriesDefinition => ({
      ...{ key: runKey(index), label, short: label, lasting: true },
      ...{ colour: COLOURS[index % 3] ?? '--series-1', dash: DASHES[index % 3] ?? '' },
      // Held-out metrics are measured periodically, not at each update.
      sparse: line.startsWith('heldOut:'),
    }),
  );
  const share = isShare(environment, line);
  const title = lineLabel(environment, line);
  const id = `lesson-${lesson.name}-${line.replace(':', '-')}`;
  const caption = prediction ? texts.chart : captionOf(line, share);
  const chart = {
    id,
    title,
    caption,
    series: [...predicted, ...series],
    ...(share ? { bounds: [0, 1] as const, format: CHARTS[environment].main.format } : { least: 0, format: plain }),
    lastStep: stepsOf(lesson),
  };
  return { chart, metrics: rowsOf(lesson, line, prediction, runs) };
}

function captionOf(line: string, share: boolean): string {
  const { caption, counted, fact, groups, heldOut } = lessonStrings.reveal;
  if (line.startsWith('heldOut:')) return heldOut;
  if (!share) return counted;
  if (line.startsWith('fact:')) return fact;
  return line.includes('degenerate') ? groups : caption;
}

/** Returns the number of updates of the longest run. */
export function stepsOf({ runs }: Lesson): number {
  return Math.max(...runs.map(({ steps }) => steps));
}

const runKey = (index: number): SeriesKey => `fact:run${index}`;

/** Returns a row for each step of the lesson, also for future steps, so that the axis does not change. */
function rowsOf(
  lesson: Lesson,
  line: string,
  prediction: Prediction | undefined,
  runs: readonly (readonly Metrics[])[],
): readonly Metrics[] {
  const steps = stepsOf(lesson);
  const values = runs.map((metrics) => new Map(metrics.map((row) => [row.step, valueIn(row, line)])));
  return Array.from({ length: steps }, (_, step) => {
    const entries = values.map((runValues, index) => [`run${index}`, runValues.get(step) ?? Number.NaN] as const);
    const predicted = prediction ? predictedAt(prediction, updateOf({ step }), steps) : Number.NaN;
    return { step, facts: { ...Object.fromEntries(entries), predicted } } as unknown as Metrics;
  });
}
