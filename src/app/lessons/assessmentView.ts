import questions from 'virtual:assessment';
import { LESSONS } from 'virtual:lessons';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import { type AssessmentQuestion, assessed } from '../../lessons/course.ts';
import type { AssessmentAnswers } from '../../lessons/results/courseResult.ts';
import { writeViewAddress } from '../address/viewAddress.ts';
import { base } from '../look/styles.ts';
import { assessmentStrings } from '../strings/courseStrings.ts';
import { saveAssessment, savedAssessment } from './lessonMemory.ts';
import { pageStyles } from './lessonProse.ts';

const PARTS = ['before', 'after', 'compared'] as const;
type Part = (typeof PARTS)[number];
type Time = 'before' | 'after';

/** Maximum number of characters of an open answer. */
const LONGEST = 2000;

/**
 * Assessment: the same questions before and after the lessons. The last part checks the answers and compares both
 * attempts.
 */
@customElement('tw-assessment')
export class AssessmentView extends LitElement {
  static override styles = [
    base,
    pageStyles,
    css`
      .lead, .note { max-width: 44rem; line-height: 1.5; }
      .lead { font-size: 1.0625rem; }
      .note { margin-top: 1rem; color: var(--ink-2); }
      .parts { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; margin: 1rem 0 0; padding: 0; border: 0; }
      .parts legend { float: inline-start; margin-inline-end: 1rem; color: var(--ink-2); }
      .parts label { display: inline-flex; gap: 0.375rem; align-items: center; }
      .choices { display: grid; gap: 0.375rem; margin: 0.5rem 0 0; padding: 0; border: 0; max-width: 44rem; }
      .choices label { display: grid; grid-template-columns: auto 1fr; gap: 0.5rem; align-items: start; padding: 0.5rem 0.625rem;
        border: 1px solid var(--line); border-radius: 8px; background: var(--surface); line-height: 1.4; }
      .choices label:has(:checked) { border-color: var(--accent); }
      .choices input { margin-top: 0.25rem; accent-color: var(--accent); }
      textarea { display: block; width: min(44rem, 100%); min-height: 7rem; margin-top: 0.25rem; padding: 0.5rem; font: inherit; color: inherit;
        line-height: 1.5; border: 1px solid var(--line-2); border-radius: 8px; background: var(--surface); }
      dl { display: grid; grid-template-columns: auto 1fr; gap: 0.25rem 0.75rem; max-width: 44rem; margin: 0.5rem 0; line-height: 1.45; }
      dt { color: var(--ink-2); }
      dd { margin: 0; white-space: pre-line; overflow-wrap: anywhere; }
      .right { color: var(--series-3); font-weight: 620; }
      .wrong { color: var(--bad); font-weight: 620; }
      .actions { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: center; margin-top: 1.5rem; }
    `,
  ];

  /** Answers to show instead of the answers stored in the browser. */
  @property({ attribute: false }) displayed: AssessmentAnswers | undefined;
  @state() private answers: AssessmentAnswers = {};
  @state() private selectedPart: Part = 'before';

  override connectedCallback(): void {
    super.connectedCallback();
    this.answers = this.displayed ?? savedAssessment();
    const { before, after, compared } = this.answers;
    this.selectedPart = compared ? 'compared' : after || before ? 'after' : 'before';
  }

  protected override render() {
    const texts = assessmentStrings;
    return html`<p class="top"><a href=${writeViewAddress('learn')}>${texts.all}</a></p>
      <h1>${texts.title}</h1>
      <p class="lead">${texts.lead}</p>
      <fieldset class="parts"><legend>${texts.part}</legend>${PARTS.map(
        (part) => html`<label><input type="radio" name="part" .checked=${live(part === this.selectedPart)}
          @change=${() => (this.selectedPart = part)} />${texts.parts[part]}</label>`,
      )}</fieldset>
      ${this.selectedPart === 'compared' ? this.comparison() : this.form(this.selectedPart)}`;
  }

  private form(time: Time) {
    const texts = assessmentStrings;
    const { compared, after } = this.answers;
    const over = time === 'before' ? after !== undefined || compared === true : compared === true;
    return html`${over ? html`<p class="note">${time === 'before' ? texts.over : texts.answersLocked}</p>` : nothing}
      ${questions.map((question, index) => this.renderQuestion(question, index, time, over))}
      <div class="actions">${
        time === 'before'
          ? html`<a class="button" href=${writeViewAddress('learn')}>${texts.begin}</a>`
          : html`<button class="primary" ?disabled=${over} @click=${this.compare}>${texts.compare}</button>
            <span class="caption">${over ? '' : texts.warning}</span>`
      }</div>`;
  }

  private renderQuestion(question: AssessmentQuestion, index: number, time: Time, over: boolean) {
    const texts = assessmentStrings;
    const { name, choices } = question;
    const answer = this.answers[time]?.[name] ?? '';
    const answered = (event: Event) => this.answer(time, name, (event.target as HTMLInputElement).value);
    const title = `${time}-${name}`;
    return html`<section aria-labelledby=${title}><h2 id=${title}>${texts.question(index + 1)}</h2>
      <tw-lesson-prose .text=${question.question}></tw-lesson-prose>
      ${
        choices.length === 0
          ? html`<label class="caption">${texts.open}<textarea maxlength=${LONGEST} ?disabled=${over} .value=${live(answer)}
              @change=${answered}></textarea></label>`
          : html`<div class="choices" role="radiogroup" aria-labelledby=${title}>${choices.map(
              (choice) => html`<label><input type="radio" name=${title} value=${choice.name} ?disabled=${over}
                .checked=${live(choice.name === answer)} @change=${answered} /><span>${choice.label}</span></label>`,
            )}</div>`
      }</section>`;
  }

  private comparison() {
    const texts = assessmentStrings;
    const { compared, before, after } = this.answers;
    if (!compared) return html`<p class="note">${texts.first}</p>`;
    const closed = questions.filter(({ choices }) => choices.length > 0);
    const right = (given: AssessmentAnswers[Time]) =>
      closed.filter((question) => assessed(question, given?.[question.name]) === 'right').length;
    return html`<p class="note" role="status">${texts.count(right(before), right(after), closed.length)}</p>
      ${questions.map((question, index) => this.renderAnswer(question, index))}`;
  }

  private renderAnswer(question: AssessmentQuestion, index: number) {
    const texts = assessmentStrings;
    const { choices, right, lesson } = question;
    const label = choices.find(({ name }) => name === right)?.label;
    const about = LESSONS.find(({ name }) => name === lesson);
    return html`<section aria-labelledby="compared-${question.name}"><h2 id="compared-${question.name}">${texts.question(index + 1)}</h2>
      <tw-lesson-prose .text=${question.question}></tw-lesson-prose>
      <dl>${this.given(question, 'before')}${this.given(question, 'after')}</dl>
      ${label === undefined ? nothing : html`<p>${texts.answer(label)}</p>`}
      <details ?open=${choices.length === 0}><summary>${choices.length === 0 ? texts.model : texts.why}</summary>
        <tw-lesson-prose .text=${question.why}></tw-lesson-prose></details>
      ${about ? html`<p class="caption">${texts.lesson}: <a href=${writeViewAddress('learn', lesson)}>${about.title}</a></p>` : nothing}
    </section>`;
  }

  private given(question: AssessmentQuestion, time: Time) {
    const texts = assessmentStrings;
    const answer = this.answers[time]?.[question.name];
    const result = assessed(question, answer);
    const label = question.choices.find(({ name }) => name === answer)?.label ?? answer;
    return html`<dt>${texts[time]}</dt><dd>${result === 'none' ? texts.none : label}
      <span class=${result}>${texts.results[result]}</span></dd>`;
  }

  private answer(time: Time, name: string, answer: string): void {
    this.save({ ...this.answers, [time]: { ...this.answers[time], [name]: answer.slice(0, LONGEST) } });
  }

  private compare(): void {
    this.save({ ...this.answers, compared: true });
    this.selectedPart = 'compared';
    scrollTo(0, 0);
  }

  private save(answers: AssessmentAnswers): void {
    this.answers = answers;
    if (!this.displayed) saveAssessment(answers);
  }
}
