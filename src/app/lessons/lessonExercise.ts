import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { LessonExercise as Exercise } from '../../lessons/lesson.ts';
import type { AnswerCheck } from '../../lessons/results/courseResult.ts';
import type { GroupView } from '../../training/data/protocol.ts';
import '../inspector/derivation.ts';
import { base } from '../look/styles.ts';
import { lessonStrings } from '../strings/lessonStrings.ts';
import { AnsweredEvent, type Answers, withAnswer } from './answered.ts';
import { questionText, rootsOf } from './exercises/tables.ts';
import { checkAnswer, choiceOf, type Question, type Task } from './exercises/task.ts';
import { findExerciseGroup, taskOf } from './exercises/tasks.ts';

/**
 * Exercise on a group of the user's run. It checks the answers.
 * @fires answered after each answer (AnsweredEvent)
 */
@customElement('tw-lesson-exercise')
export class LessonExercise extends LitElement {
  static override styles = [
    base,
    css`
      .table { overflow-x: auto; max-height: 34rem; overflow-y: auto; width: fit-content; max-width: 100%; border: 1px solid var(--line); border-radius: 8px; }
      table { font-size: 0.875rem; font-variant-numeric: tabular-nums; background: var(--surface); }
      td, th { padding: 0.1875rem 0.875rem; text-align: end; }
      @media (max-width: 30rem) { td, th { padding-inline: 0.5rem; } }
      thead th { position: sticky; top: 0; background: var(--surface); }
      tr.asked > * { background: var(--note-ground); font-weight: 620; color: var(--ink); }
      form { display: flex; flex-wrap: wrap; gap: 0.375rem 0.75rem; align-items: center; margin-top: 0.75rem; }
      form label { display: inline-flex; flex-wrap: wrap; gap: 0.25rem 0.5rem; align-items: center; }
      input { width: 6rem; }
      details { margin-top: 0.5rem; max-width: 44rem; font-size: 0.9375rem; }
      .given { margin: 0.5rem 0; }
      @media print { form button { display: none; } }
      .right { color: var(--series-3); font-weight: 620; }
      .wrong { color: var(--bad); font-weight: 620; }
    `,
  ];

  @property({ attribute: false }) exercise!: Exercise;
  /** Number of the exercise in the lesson, from 1. */
  @property({ type: Number }) number = 1;
  /** Groups of the user's run, oldest first. */
  @property({ attribute: false }) groups: readonly GroupView[] = [];
  /** Displayed name of the exercise. It is part of the accessible name of the table. */
  @property() name = '';
  @property({ type: Boolean }) trained = false;
  @state() private checks: Readonly<Record<number, AnswerCheck>> = {};
  private answers: Answers = {};
  private group: GroupView | undefined;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('groups') && !changed.has('exercise')) return;
    const group = findExerciseGroup(this.groups, this.exercise);
    if (group !== this.group || changed.has('exercise')) {
      this.checks = {};
      this.answers = {};
    }
    this.group = group;
  }

  protected override render() {
    const texts = lessonStrings.exercise;
    const { group } = this;
    if (!group) return html`<p>${this.trained ? texts.none : texts.wait}</p>`;
    const task = taskOf(group, this.exercise);
    const caption = texts.group(group.step, rootsOf(group.forest).length);
    return html`<p class="caption">${caption} <q>${questionText(group)}</q></p>
      ${this.table(task, caption)}
      <details><summary>${texts.hint}</summary>${task.hint.map((line) => html`<p class="given number">${line}</p>`)}</details>
      ${task.questions.map((question, index) => this.question(question, index, group))}`;
  }

  private table({ columns, rows }: Task, caption: string) {
    return html`<div class="table" tabindex="0" role="region" aria-label=${`${this.name}: ${caption}`}><table>
      <thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${rows.map(
        ({ name, cells, isQuestion }) => html`<tr class=${isQuestion ? 'asked' : ''}>
          <th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
      )}</tbody></table></div>`;
  }

  private question(question: Question, index: number, group: GroupView) {
    const texts = lessonStrings.exercise;
    const check = this.checks[index];
    return html`<form @submit=${(event: Event) => this.check(event, question, index)}>
        <label>${question.label} ${this.field(question)}</label>
        <button>${texts.check}</button>
        <span role="status" class=${check === 'right' || check === 'near' ? 'right' : 'wrong'}>${check ? texts[check] : ''}</span>
      </form>
      ${
        check === undefined
          ? nothing
          : html`<details><summary>${texts.answer}</summary>
              <tw-worked .group=${group.forest} .choice=${choiceOf(this.exercise, question.rule)} .rule=${question.rule} .turn=${question.turn}></tw-worked></details>`
      }`;
  }

  private field({ options }: Question) {
    if (!options) return html`<input type="text" inputmode="text" name="answer" autocomplete="off" />`;
    return html`<select name="answer"><option value="">${lessonStrings.exercise.pick}</option>${options.map(
      (option, at) => html`<option value=${at}>${option}</option>`,
    )}</select>`;
  }

  private check(event: Event, question: Question, index: number): void {
    event.preventDefault();
    const given = String(new FormData(event.target as HTMLFormElement).get('answer') ?? '').trim();
    const check = checkAnswer(given, question);
    this.checks = { ...this.checks, [index]: check };
    const { label, turn, options } = question;
    const text = options?.[Number(given)] ?? given;
    this.answers = withAnswer(this.answers, index, { question: label, turn, text, check });
    this.dispatchAnswers();
  }

  private dispatchAnswers(): void {
    const { group, number, answers } = this;
    if (!group) return;
    const { kind, rule } = this.exercise;
    const { step, forest } = group;
    const details = { number, kind, rule, step, group: forest, answers: Object.values(answers) };
    this.dispatchEvent(new AnsweredEvent(details));
  }
}
