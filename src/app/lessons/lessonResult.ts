import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { comparedRule } from '../../environments/watchedTurns.ts';
import { whySpans } from '../../experiments/why.ts';
import { whySentences } from '../../experiments/whySentences.ts';
import { findingOf, valueIn } from '../../lessons/expectations.ts';
import type { Expectation, Lesson, LessonRun } from '../../lessons/lesson.ts';
import { isShare } from '../../lessons/lineUnit.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { ruleTitle } from '../address/pageTables.ts';
import { DEFAULT_VIEW, writeUrl } from '../address/url.ts';
import type { Mark } from '../curves/chartMarks.ts';
import type { ChartCursorEvent } from '../curves/lineChart.ts';
import '../curves/lineChart.ts';
import { base } from '../look/styles.ts';
import type { RunModel } from '../session/runModel.ts';
import { lessonStrings } from '../strings/lessonStrings.ts';
import { lessonChart } from './lessonCharts.ts';
import { distance, isWhole, NOTHING, type Prediction, predictedAt } from './prediction.ts';

/** What came of an experiment over what was predicted: curves, the distance, what it shows, and why. */
@customElement('tw-lesson-result')
export class LessonResult extends LitElement {
  static override styles = [
    base,
    css`
      .others { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); gap: 0.75rem 1.5rem; margin-top: 0.75rem; }
      .said { margin-top: 0.75rem; max-width: 44rem; font-size: 1rem; line-height: 1.5; }
      .said p + p { margin-top: 0.25rem; }
      h4 { margin: 0.875rem 0 0.25rem; font-size: 0.9375rem; font-weight: 620; }
      ul { margin: 0; padding-inline-start: 1.25rem; max-width: 44rem; line-height: 1.5; }
      .met::marker { content: '✓  '; }
      .unmet::marker { content: '✗  '; }
      .links { display: grid; gap: 0.25rem; margin-bottom: 0.625rem; }
      a { color: var(--accent); }
    `,
  ];

  @property({ attribute: false }) lesson!: Lesson;
  @property({ attribute: false }) prediction: Prediction = NOTHING;
  /** [runs] the updates that count. */
  @property({ attribute: false }) runs: readonly (readonly Metrics[])[] = [];
  @property({ attribute: false }) models: readonly RunModel[] = [];
  /** Grows with the runs. */
  @property({ type: Number }) revision = 0;
  @property({ type: Boolean }) done = false;
  /** The runs have other sizes of updates than the lesson's own. */
  @property({ type: Boolean }) sized = false;
  @state() private cursor: number | null = null;

  protected override render() {
    const { lesson, models } = this;
    const [first, ...others] = lesson.lines;
    const model = models[0];
    if (!model || first === undefined) return nothing;
    return html`<div @chart-cursor=${this.follow}>
        ${this.chart(first, model)}
        <div class="others">${others.map((line) => this.chart(line, model, true))}</div>
      </div>
      ${this.done ? html`${this.compared()} ${this.shown()} ${this.why()} ${this.links()}` : nothing}`;
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
    const came = (this.runs[index] ?? []).map((row) => [row.step, valueIn(row, predict.line)] as const);
    const last = came.findLast(([, value]) => Number.isFinite(value));
    if (!last || !isWhole(this.prediction)) return nothing;
    const drawn = predictedAt(this.prediction, last[0], steps);
    return html`<div class="said"><p>${texts.end(last[0] + 1, drawn, last[1])}</p>
      <p>${texts.apart(distance(this.prediction, came, steps))}</p></div>`;
  }

  private shown() {
    const texts = lessonStrings.reveal;
    const { environment = 'search' } = this.models[0]?.configuration ?? {};
    const told = (expectation: Expectation) => {
      const { met, value } = findingOf(expectation, this.runs[this.runAt(expectation.run)] ?? []);
      return html`<li class=${met ? 'met' : 'unmet'}>${expectation.text} ${texts.measured(value, isShare(environment, expectation.line))}
        ${met ? '' : texts.unmet} ${texts.held(expectation.held, expectation.seeds)}</li>`;
    };
    return html`<h4>${texts.shown}</h4><ul>${this.lesson.expects.map(told)}</ul>
      ${this.sized ? html`<p class="caption">${texts.sized}</p>` : nothing}`;
  }

  /** What the watched turns were paid since the last change of the rule, in sentences, of each run. */
  private why() {
    const sentences = this.models.map(({ configuration }, index) => {
      if (!this.lesson.why.includes(this.lesson.runs[index]?.name ?? '')) return [];
      const environment = ENVIRONMENTS[configuration.environment];
      const { watchedTurns, betas } = environment;
      const span = watchedTurns && whySpans({ watchedTurns, momentum: betas[0] }, this.runs[index] ?? []).at(-1);
      if (!watchedTurns || !span) return [];
      const titles = { own: ruleTitle(span.rule), other: ruleTitle(comparedRule(environment, span.rule)) };
      return whySentences(span, watchedTurns.counted, titles);
    });
    if (sentences.every(({ length }) => length === 0)) return nothing;
    return html`<h4>${lessonStrings.reveal.why}</h4>
      <p class="caption">${lessonStrings.reveal.paid}</p>
      <div class="said">${sentences.map((own, index) => this.ofRun(own, index))}</div>`;
  }

  private ofRun(sentences: readonly string[], index: number) {
    if (sentences.length === 0) return nothing;
    const named = this.models.length > 1;
    return html`<p>${named ? html`<b>${lessonStrings.reveal.ofRun(this.lesson.runs[index]?.label ?? '')}</b> ` : nothing}${sentences.join(' ')}</p>`;
  }

  private links() {
    const { playground } = lessonStrings.reveal;
    const named = this.models.length > 1;
    return html`<p class="said links">${this.models.map(({ link }, index) => {
      const label = named ? `${playground}: ${this.lesson.runs[index]?.label}` : playground;
      return html`<a href=${`${writeUrl(link, DEFAULT_VIEW)}#play`}>${label}</a>`;
    })}</p>`;
  }
}

/** What happens on the way, in the words of the lesson. */
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
