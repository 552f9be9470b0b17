import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import type { LessonFormula } from '../../lessons/formula.ts';
import { LEVELS, type Lesson, type LessonHead, type Level } from '../../lessons/lesson.ts';
import type { LessonSheet } from '../../lessons/sheets.ts';
import { writePlace } from '../address/place.ts';
import { base } from '../look/styles.ts';
import { formulaStrings } from '../strings/formulaStrings.ts';
import { lessonStrings } from '../strings/lessonStrings.ts';
import type { AnsweredEvent } from './answered.ts';
import './lessonExercise.ts';
import type { TrainedEvent } from './lessonExperiment.ts';
import './lessonExperiment.ts';
import './lessonFormula.ts';
import { pageStyles } from './lessonStyles.ts';
import './lessonProse.ts';
import './lessonSheet.ts';
import type { LessonTraining } from './lessonTraining.ts';
import { keepExercise } from './resultMemory.ts';

/** Another reading level was chosen. */
export class LevelEvent extends CustomEvent<Level> {
  constructor(level: Level) {
    super('level', { detail: level, bubbles: true, composed: true });
  }
}

/**
 * One lesson: the idea, the experiment, why it came so, and an exercise. The level changes the text alone.
 * @fires level when another reading level is chosen (LevelEvent)
 */
@customElement('tw-lesson')
export class LessonView extends LitElement {
  static override styles = [
    base,
    pageStyles,
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
      tw-experiment { margin-top: 1rem; }
      @media print { fieldset { display: none; } }
    `,
  ];

  @property({ attribute: false }) lesson!: Lesson;
  @property() level: Level = LEVELS[1];
  @property({ attribute: false }) next: LessonHead | undefined;
  @state() private training: LessonTraining | undefined;
  /** The curve was there once: what explains it stays. */
  @state() private revealed = false;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('lesson')) return;
    this.revealed = false;
    this.training = undefined;
  }

  protected override render() {
    const { parts, all, number } = lessonStrings;
    const { lesson, next } = this;
    const text = lesson.texts[this.level];
    return html`<article @answered=${this.answered}>
      <p class="top"><a href=${writePlace('learn')}>${all}</a> · ${number(lesson.order, lesson.minutes)}</p>
      <h1>${lesson.title}</h1>
      <p class="sentence">${lesson.sentence}</p>
      ${this.levels()}
      ${lesson.picture ? html`<div class="picture" role="img" aria-label=${lesson.picture.alt}>${unsafeHTML(lesson.picture.svg)}</div>` : nothing}
      <h2>${parts.before}</h2>
      <tw-lesson-prose .text=${text.before}></tw-lesson-prose>
      <tw-experiment .lesson=${lesson} @trained=${this.trained}></tw-experiment>
      ${
        this.revealed
          ? html`<h2>${parts.after}</h2><tw-lesson-prose .text=${text.after}></tw-lesson-prose>
            ${lesson.formulas.length > 0 && this.level !== LEVELS[0] ? this.formulas() : nothing}
            ${lesson.exercises.length > 0 ? this.exercises() : nothing}
            ${lesson.sheets.map((sheet, index) => this.sheet(sheet, lesson.exercises.length + index + 1))}
            ${next ? html`<p class="next"><a href=${writePlace('learn', next.name)}>${lessonStrings.next(next.title)}</a></p>` : nothing}`
          : nothing
      }
    </article>`;
  }

  private exercises() {
    const { parts } = lessonStrings;
    const { lesson, training } = this;
    const several = lesson.exercises.length > 1;
    return html`<h2>${parts.exercise}</h2>${lesson.exercises.map((exercise, index) => {
      const run = lesson.runs.findIndex(({ name }) => name === exercise.run);
      const name = several ? parts.exerciseOf(index + 1) : parts.exercise;
      return html`${several ? html`<h3>${name}</h3>` : nothing}
        <tw-lesson-prose .text=${exercise.text}></tw-lesson-prose>
        <tw-lesson-exercise .name=${name} .exercise=${exercise} .number=${index + 1} .groups=${training?.groupsOf(run) ?? []}
          ?trained=${training?.phase === 'done'}></tw-lesson-exercise>`;
    })}`;
  }

  /** Whoever reads as a five-year-old is spared it. */
  private formulas() {
    const { formulas } = this.lesson;
    return html`<h2>${formulaStrings.title(formulas.length)}</h2>${formulas.map((one) => this.formula(one))}`;
  }

  private formula({ of, run }: LessonFormula) {
    const { lesson, training } = this;
    const index = lesson.runs.findIndex(({ name }) => name === run);
    const title = lesson.formulas.length > 1 ? html`<h3>${formulaStrings.titles[of]}</h3>` : nothing;
    return html`${title}
      <tw-lesson-formula .of=${of} .groups=${training?.allGroupsOf(index) ?? []}
        .controls=${training?.models[index]?.configuration.controls ?? {}} ?trained=${training?.phase === 'done'}></tw-lesson-formula>`;
  }

  private sheet(sheet: LessonSheet, number: number) {
    const { parts } = lessonStrings;
    const { lesson, training } = this;
    const run = lesson.runs.findIndex(({ name }) => name === sheet.run);
    return html`${number === 1 ? html`<h2>${parts.exercise}</h2>` : nothing}<h3>${parts.exerciseOf(number)}</h3>
      <tw-lesson-prose .text=${sheet.text}></tw-lesson-prose>
      <tw-lesson-sheet .sheet=${sheet} .number=${number} .groups=${training?.allGroupsOf(run) ?? []}
        .controls=${training?.models[run]?.configuration.controls ?? {}} ?trained=${training?.phase === 'done'}></tw-lesson-sheet>`;
  }

  private levels() {
    const { label, help, names } = lessonStrings.level;
    return html`<fieldset title=${help}><legend>${label}</legend>${LEVELS.map(
      (level) => html`<label><input type="radio" name="level" .checked=${live(level === this.level)}
        @change=${() => this.dispatchEvent(new LevelEvent(level))} /><span>${names[level]}</span></label>`,
    )}</fieldset>`;
  }

  /** Answers go into the reader's results. */
  private answered({ detail }: AnsweredEvent): void {
    keepExercise(this.lesson.name, detail);
  }

  private trained({ detail }: TrainedEvent): void {
    this.training = detail;
    this.revealed ||= detail.phase === 'done';
    this.requestUpdate();
  }
}
