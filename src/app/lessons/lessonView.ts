import { css, html, LitElement, nothing, type PropertyValues, svg } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import { LEVELS, type Lesson, type LessonHead, type Level } from '../../lessons/lesson.ts';
import { writeViewAddress } from '../address/viewAddress.ts';
import { base } from '../look/styles.ts';
import { exerciseStrings } from '../strings/exerciseStrings.ts';
import { formulaStrings } from '../strings/formulaStrings.ts';
import { lessonStrings, densityStrings as texts } from '../strings/lessonStrings.ts';
import { type LessonPlan, planLesson } from './exercises/plan.ts';
import type { AnsweredEvent } from './lessonExercise.ts';
import './lessonExercise.ts';
import type { Trained, TrainedEvent } from './lessonExperiment.ts';
import './lessonExperiment.ts';
import './lessonFindings.ts';
import './lessonFormula.ts';
import { scaleLinear } from 'd3-scale';
import type { DensityPoint, SeedMean } from '../../experiments/truth/density.ts';
import { WidthController } from '../drawing/drawing.ts';
import points from './figures/decisionDensity.json' with { type: 'json' };
import { saveExercise } from './lessonMemory.ts';
import { pageStyles } from './lessonProse.ts';

const HEIGHT = 300;
const EDGE = { left: 44, right: 16, top: 14, bottom: 40 };
const TICKS = { x: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6], y: [0.2, 0.4, 0.6, 0.8] };
/**
 * Densities at which the upper limit, the square root of the density, is computed. The curve starts at the lower edge.
 */
const CURVE = Array.from({ length: 57 }, (_, index) => 0.04 + index / 100);

const share = ({ mean }: SeedMean) => `${Math.round(100 * mean)} %`;
const decimal = ({ mean }: SeedMean) => mean.toFixed(2);

/**
 * Figure of the correlation between GRPO-OR and the true advantages in Search, by decision density. See
 * docs/reference/decision-density.md.
 */
@customElement('tw-density-figure')
export class DensityFigure extends LitElement {
  static override styles = [
    base,
    css`
      :host { display: block; margin-top: 1.5rem; }
      figure { margin: 0; }
      svg { display: block; width: 100%; margin-top: 0.5rem; overflow: visible; }
      text { font-family: inherit; font-size: 12px; fill: var(--ink-2); font-variant-numeric: tabular-nums; }
      .tick { stroke: var(--line); }
      .limit { fill: none; stroke: var(--ink-2); stroke-width: 1.5; stroke-dasharray: 5 3; }
      .range { stroke: var(--series-1); stroke-width: 1.25; opacity: 0.55; }
      circle { fill: var(--series-1); stroke: var(--surface); stroke-width: 1.5; }
      .name { fill: var(--ink); }
    `,
  ];

  private readonly size = new WidthController(this);

  protected override render() {
    const width = Math.max(1, this.size.width);
    const x = scaleLinear([0, 0.6], [EDGE.left, width - EDGE.right]);
    const y = scaleLinear([0.2, 0.9], [HEIGHT - EDGE.bottom, EDGE.top]);
    const limit = CURVE.map((density) => `${x(density).toFixed(1)},${y(Math.sqrt(density)).toFixed(1)}`).join(' ');
    return html`<figure>
      <h2>${texts.title}</h2>
      <p class="caption">${texts.lead}</p>
      <svg role="img" aria-label=${this.description()} viewBox="0 0 ${width} ${HEIGHT}" height=${HEIGHT}>
        ${TICKS.y.map(
          (tick) => svg`<line class="tick" x1=${EDGE.left} x2=${width - EDGE.right} y1=${y(tick)} y2=${y(tick)}></line>
            <text x=${EDGE.left - 6} y=${y(tick) + 4} text-anchor="end">${tick}</text>`,
        )}
        ${TICKS.x.map((tick) => svg`<text x=${x(tick)} y=${HEIGHT - EDGE.bottom + 16} text-anchor="middle">${Math.round(100 * tick)}%</text>`)}
        <text x=${(EDGE.left + width - EDGE.right) / 2} y=${HEIGHT - 6} text-anchor="middle">${texts.across}</text>
        <polyline class="limit" points=${limit}></polyline>
        <text x=${x(0.08) + 10} y=${y(0.26)}>${texts.limit}</text>
        ${(points as readonly DensityPoint[]).map((point, index) => {
          const { density, correlation } = point;
          const isLeft = point.hops > 1;
          const at = correlation['grpo-or'];
          const [left, top] = [x(density.mean), y(at.mean)];
          return svg`<line class="range" x1=${left} x2=${left} y1=${y(at.mean - at.half)} y2=${y(at.mean + at.half)}></line>
            <line class="range" x1=${x(density.mean - density.half)} x2=${x(density.mean + density.half)} y1=${top} y2=${top}></line>
            <circle cx=${left} cy=${top} r="4.5"></circle>
            <text class="name" x=${left + (isLeft ? -6 : 6)} y=${top + (index % 2 === 0 ? -6 : 15)} text-anchor=${isLeft ? 'end' : 'start'}>${point.maxTurns}·${point.hops}</text>`;
        })}
      </svg>
      <figcaption class="caption">${texts.up}. ${texts.note}</figcaption>
    </figure>`;
  }

  private description(): string {
    const values = (points as readonly DensityPoint[]).map(({ maxTurns, hops, density, correlation }) =>
      texts.point(texts.label(maxTurns, hops), share(density), decimal(correlation['grpo-or'])),
    );
    return `${texts.title}. ${values.join('; ')}`;
  }
}

/**
 * Layout of a lesson: a sticky bar of steps, and the experiment next to the text if the window is wide enough.
 */
const lessonLayout = css`
  .steps { position: sticky; top: var(--header, 0px); z-index: 5; margin-top: 0.75rem; border-bottom: 1px solid var(--line); background: var(--ground); }
  .steps ol { display: flex; gap: 0.125rem; margin: 0; padding: 0.25rem 0; list-style: none; overflow-x: auto; }
  .steps button { min-height: 2rem; padding-inline: 0.625rem; white-space: nowrap; }
  .steps button[aria-current] { font-weight: 620; border-color: var(--line-2); background: var(--surface); }
  h2[id], [id='predict'] { scroll-margin-top: calc(var(--header, 0px) + 3.5rem); }
  .experiment { margin-top: 1rem; }
  @media (min-width: 70rem) {
    .columns { display: grid; grid-template-columns: minmax(0, 38rem) minmax(0, 1fr); column-gap: 2rem; align-items: start; }
    .experiment { grid-column: 2; grid-row: 1 / span 2; position: sticky; top: calc(var(--header, 0px) + 3.25rem); }
    .idea, .after { grid-column: 1; }
  }
  @media print { .steps { display: none; } .columns { display: block; } .experiment { position: static; } }
`;

/** Event with the reading level that the user selected. */
export class LevelEvent extends CustomEvent<Level> {
  constructor(level: Level) {
    super('level', { detail: level, bubbles: true, composed: true });
  }
}

/** Steps of a lesson, in order. Each name is the id of an element of the page. */
const STEPS = ['idea', 'predict', 'run', 'why', 'exercise'] as const;
type Step = (typeof STEPS)[number];

/**
 * Page of one lesson: the idea, the experiment, the explanation of its result, and exercises. The reading level selects
 * the text; the lowest level omits formulas and the figure.
 * @fires level when another reading level is selected (LevelEvent)
 */
@customElement('tw-lesson')
export class LessonView extends LitElement {
  static override styles = [
    base,
    pageStyles,
    lessonLayout,
    css`
      .sentence { max-width: 44rem; font-size: 1.125rem; line-height: 1.45; color: var(--ink-2); }
      fieldset { display: flex; flex-wrap: wrap; gap: 0.25rem; align-items: center; margin: 0.875rem 0 0; padding: 0.25rem; border: 0;
        border-radius: 8px; background: var(--hover); width: fit-content; max-width: 100%; }
      legend { float: inline-start; padding: 0 0.5rem; font-size: 0.875rem; color: var(--ink-2); }
      fieldset label { position: relative; }
      fieldset input { position: absolute; inset: 0; opacity: 0; margin: 0; cursor: pointer; }
      fieldset span { display: grid; place-items: center; min-height: 1.875rem; padding: 0 0.625rem; border-radius: 6px; font-size: 0.875rem; }
      fieldset input:checked + span { background: var(--surface); font-weight: 620; box-shadow: 0 0 0 1px var(--line-2); }
      fieldset input:focus-visible + span { outline: 2px solid var(--focus); outline-offset: 2px; }
      @media (pointer: coarse) { fieldset span { min-height: 2.5rem; } }
      @media (forced-colors: active) { fieldset input:checked + span { outline: 2px solid Highlight; } }
      .picture { max-width: 30rem; margin-top: 0.875rem; color: var(--ink); }
      .picture svg { display: block; width: 100%; height: auto; aspect-ratio: 47 / 16; }
      .next { margin-top: 2rem; font-size: 1.0625rem; }
      .nearest { margin-bottom: 0.5rem; }
      @media print { fieldset { display: none; } }
    `,
  ];

  @property({ attribute: false }) lesson!: Lesson;
  @property() level: Level = LEVELS[1];
  @property({ attribute: false }) next: LessonHead | undefined;
  @state() private trained: Trained | undefined;
  /** Formulas and exercises; undefined until the first training is finished. */
  @state() private plan: LessonPlan | undefined;
  /** True if the heading of the exercises is above the middle of the window. */
  @state() private atExercise = false;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('lesson')) return;
    this.trained = undefined;
    this.plan = undefined;
    this.atExercise = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('scroll', this.locate, { passive: true });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('scroll', this.locate);
  }

  protected override render() {
    const { parts, all, number } = lessonStrings;
    const { lesson, next, plan } = this;
    const text = lesson.texts[this.level];
    return html`<article @answered=${this.answered}>
      <p class="top"><a href=${writeViewAddress('learn')}>${all}</a> · ${number(lesson.order, lesson.minutes)}</p>
      <h1>${lesson.title}</h1>
      <p class="sentence">${lesson.sentence}</p>
      ${this.levels()}
      ${this.stepBar()}
      <div class="columns">
        <div class="idea">
          ${lesson.picture ? html`<div class="picture" role="img" aria-label=${lesson.picture.alt}>${unsafeHTML(lesson.picture.svg)}</div>` : nothing}
          <h2 id="idea">${parts.before}</h2>
          <tw-lesson-prose .text=${text.before}></tw-lesson-prose>
        </div>
        <div class="experiment" id="predict"><tw-experiment id="run" .lesson=${lesson} @trained=${this.onTrained}></tw-experiment></div>
        ${
          plan
            ? html`<div class="after">
                ${this.findings()}
                <h2 id="why">${parts.after}</h2><tw-lesson-prose .text=${text.after}></tw-lesson-prose>
                ${lesson.formulas.length > 0 && this.level !== LEVELS[0] ? this.formulas(plan) : nothing}
                ${lesson.figure && this.level !== LEVELS[0] ? html`<tw-density-figure></tw-density-figure>` : nothing}
                ${this.exercises(plan)}
                ${next ? html`<p class="next"><a href=${writeViewAddress('learn', next.name)}>${lessonStrings.next(next.title)}</a></p>` : nothing}
              </div>`
            : nothing
        }
      </div>
    </article>`;
  }

  private stepBar() {
    const { steps, label, done } = lessonStrings.steps;
    const current = STEPS.indexOf(this.step);
    return html`<nav class="steps" aria-label=${label}><ol>${STEPS.map((name, index) => {
      const isDone = index < current;
      const reached = index <= current || (this.plan !== undefined && this.hasPart(name));
      return html`<li><button class="plain" ?disabled=${!reached} aria-current=${index === current ? 'step' : nothing}
        @click=${() => this.show(name)}>${isDone ? html`<span aria-hidden="true">✓</span> ` : nothing}${steps[name]}${isDone ? html`<span class="visually-hidden">${done}</span>` : nothing}</button></li>`;
    })}</ol></nav>`;
  }

  private get step(): Step {
    const phase = this.trained?.training.phase ?? 'idle';
    if (phase === 'opening' || phase === 'training') return 'run';
    if (!this.plan) return phase === 'idle' ? 'predict' : 'run';
    return this.atExercise ? 'exercise' : 'why';
  }

  /** Updates the current step, which is the exercise if its heading is above the middle of the window. */
  private readonly locate = (): void => {
    const heading = this.renderRoot.querySelector('#exercise');
    this.atExercise = heading !== null && heading.getBoundingClientRect().top < innerHeight / 2;
  };

  private hasPart(name: Step): boolean {
    return name !== 'exercise' || this.lesson.exercises.length > 0;
  }

  private show(name: Step): void {
    const part = this.renderRoot.querySelector(`#${name}`);
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    part?.scrollIntoView({ block: 'start', behavior: calm ? 'auto' : 'smooth' });
  }

  private findings() {
    const { trained, lesson } = this;
    if (trained?.training.phase !== 'done') return nothing;
    const { training, sized } = trained;
    return html`<h2>${lessonStrings.parts.result}</h2>
      <tw-lesson-findings .lesson=${lesson} .runs=${training.metrics} .models=${training.models} ?sized=${sized}></tw-lesson-findings>`;
  }

  private exercises({ exercises }: LessonPlan) {
    const { parts } = lessonStrings;
    if (exercises.length === 0) return nothing;
    return html`<h2 id="exercise">${parts.exercise}</h2>
      ${exercises.map(({ content, isComplete }, index) => {
        const lesson = this.lesson.exercises[index];
        const name = exercises.length > 1 ? parts.exerciseOf(index + 1) : parts.exercise;
        return html`${exercises.length > 1 ? html`<h3>${name}</h3>` : nothing}
          <tw-lesson-prose .text=${lesson?.text ?? ''}></tw-lesson-prose>${this.nearest(isComplete)}
          <tw-lesson-exercise .name=${name} .lesson=${lesson} .exercise=${content} .number=${index + 1}></tw-lesson-exercise>`;
      })}`;
  }

  /** Renders a note if no group of the run meets the complete condition of a part of the lesson. */
  private nearest(isComplete: boolean) {
    return isComplete ? nothing : html`<p class="caption nearest">${exerciseStrings.nearest}</p>`;
  }

  /** Renders the formulas of the lesson. */
  private formulas({ formulas }: LessonPlan) {
    return html`<h2>${formulaStrings.title(formulas.length)}</h2>${formulas.map(({ content, isComplete }, index) => {
      const { of } = this.lesson.formulas[index] ?? {};
      return html`${of && formulas.length > 1 ? html`<h3>${formulaStrings.titles[of]}</h3>` : nothing}${this.nearest(isComplete)}
        <tw-lesson-formula .formula=${content}></tw-lesson-formula>`;
    })}`;
  }

  private runOf(name: string) {
    const index = this.lesson.runs.findIndex((run) => run.name === name);
    const training = this.trained?.training;
    return {
      groups: training?.groupsOf(index) ?? [],
      controls: training?.models[index]?.configuration.controls ?? {},
    };
  }

  private levels() {
    const { label, help, names } = lessonStrings.level;
    return html`<fieldset title=${help}><legend>${label}</legend>${LEVELS.map(
      (level) => html`<label><input type="radio" name="level" .checked=${live(level === this.level)}
        @change=${() => this.dispatchEvent(new LevelEvent(level))} /><span>${names[level]}</span></label>`,
    )}</fieldset>`;
  }

  /** Saves the answers of an exercise in the results of the user. */
  private answered({ detail }: AnsweredEvent): void {
    saveExercise(this.lesson.name, detail);
  }

  private onTrained({ detail }: TrainedEvent): void {
    this.trained = detail;
    if (detail.training.phase === 'done') this.plan = planLesson(this.lesson, (run) => this.runOf(run));
    this.requestUpdate();
  }
}
