import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { LessonExercise } from '../../lessons/lesson.ts';
import type { ExerciseAnswer, ExerciseResult } from '../../lessons/results/courseResult.ts';
import '../inspector/derivation.ts';
import { base } from '../look/styles.ts';
import { exerciseStrings } from '../strings/exerciseStrings.ts';
import {
  type Answered,
  type BlanksQuestion,
  type ChoiceQuestion,
  checkAnswer,
  type Exercise,
  type Question,
} from './exercises/exercise.ts';
import './lessonProse.ts';

/** Maximum number of stored characters of an answer. */
const LONGEST = 200;

/**
 * Event with the answers of an exercise so far. If any element in a lesson fires it, the lesson stores the exercise in
 * the results of the user.
 */
export class AnsweredEvent extends CustomEvent<ExerciseResult> {
  constructor(exercise: ExerciseResult) {
    super('answered', { detail: exercise, bubbles: true, composed: true });
  }
}

/** Styles of `lessonTable`. */
export const tableStyles = css`
  .table { overflow: auto; width: fit-content; max-width: 100%; border: 1px solid var(--line); border-radius: 8px; }
  table { font-size: 0.875rem; font-variant-numeric: tabular-nums; background: var(--surface); }
  td, th { padding: 0.1875rem 0.75rem; text-align: start; }
  td.words { overflow-wrap: anywhere; }
  @media (max-width: 30rem) { td, th { padding-inline: 0.375rem; } }
  thead th { position: sticky; top: 0; background: var(--surface); vertical-align: bottom; }
`;

/** Renders a table that scrolls, also with the keyboard. */
export function lessonTable(label: string, columns: readonly string[], rows: unknown) {
  return html`<div class="table" tabindex="0" role="region" aria-label=${label}><table>
    <thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${rows}</tbody></table></div>`;
}

/** Returns true if a cell contains words instead of a number. Narrow tables may break words. */
export const isTextCell = (cell: string) => /\p{L}{3}/u.test(cell);

/**
 * Exercise on groups of the user's run: a table, a hint, questions with checked answers, and derivations.
 * @fires answered after each answer (AnsweredEvent)
 */
@customElement('tw-lesson-exercise')
export class LessonExerciseView extends LitElement {
  static override styles = [
    base,
    tableStyles,
    css`
      .table { max-height: 34rem; }
      td:not(.words) { text-align: end; }
      tr.asked > * { background: var(--note-ground); font-weight: 620; color: var(--ink); }
      form { margin-top: 0.875rem; }
      fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
      legend { padding: 0; font-weight: 620; }
      .line { display: flex; flex-wrap: wrap; gap: 0.375rem 0.75rem; align-items: center; margin-top: 0.375rem; }
      .line label { display: inline-flex; flex-wrap: wrap; gap: 0.25rem 0.5rem; align-items: center; }
      @media (pointer: coarse) { .line label { min-height: 2.25rem; } }
      input:not([type='checkbox']) { width: 6rem; }
      details { margin-top: 0.5rem; max-width: 44rem; font-size: 0.9375rem; }
      details p { margin: 0.25rem 0; }
      @media print { form button { display: none; } }
      .right { color: var(--series-3); font-weight: 620; }
      .wrong { color: var(--bad); font-weight: 620; }
    `,
  ];

  @property({ attribute: false }) lesson!: LessonExercise;
  /** Exercise with the numbers of the user's run; undefined if no group of the run is suitable. */
  @property({ attribute: false }) exercise: Exercise | undefined;
  /** Number of the exercise in the lesson, from 1. */
  @property({ type: Number }) number = 1;
  /** Displayed name of the exercise. It is part of the accessible name of the table. */
  @property() name = '';
  /** Last answer to each question, by the index of the question. */
  @state() private answers: Readonly<Record<number, Answered & { readonly tries: number }>> = {};

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('exercise')) this.answers = {};
  }

  protected override render() {
    const { exercise } = this;
    if (!exercise) return html`<p>${exerciseStrings.none}</p>`;
    const { caption, task, columns, rows, given, questions } = exercise;
    return html`<p class="caption">${caption}${task === undefined ? nothing : html` <q>${task}</q>`}</p>
      ${lessonTable(
        `${this.name}: ${caption}`,
        columns,
        rows.map(
          ({ cells: [first, ...rest], isQuestion }) =>
            html`<tr class=${isQuestion ? 'asked' : ''}><th scope="row">${first}</th>${rest.map(
              (cell) =>
                html`<td class=${isTextCell(cell) && this.lesson.kind !== 'critic' ? 'words' : ''}>${cell}</td>`,
            )}</tr>`,
        ),
      )}
      <details><summary>${exerciseStrings.hint}</summary><tw-lesson-prose .text=${this.lesson.hint}></tw-lesson-prose>${given.map(
        (line) => html`<p class="number">${line}</p>`,
      )}</details>
      ${questions.map((question, index) => this.question(question, index))}`;
  }

  private question(question: Question, index: number) {
    const texts = exerciseStrings;
    const answered = this.answers[index];
    const isRight = answered?.check === 'right' || answered?.check === 'near';
    const hasGoal = question.kind === 'blanks' && question.evaluate !== undefined;
    const grade = html`<button>${hasGoal ? texts.amounts : texts.check}</button>
      <span role="status" class=${isRight ? 'right' : 'wrong'}>${answered?.text ?? ''}</span>`;
    // A labelled blank cannot be inside the label of the question.
    const isSingle =
      question.kind === 'blanks'
        ? question.blanks.length === 1 && question.blanks[0]?.label === undefined
        : !question.several;
    const fields = question.kind === 'blanks' ? blanks(question) : choice(question);
    return html`<form @submit=${(event: SubmitEvent) => this.check(event, question, index)} novalidate>${
      isSingle
        ? html`<div class="line"><label>${question.label} ${fields}</label>${grade}</div>`
        : html`<fieldset><legend>${question.label}</legend><div class="line">${fields}</div><div class="line">${grade}</div></fieldset>`
    }</form>
      ${answered?.reports.map((line) => html`<p class="number">${line}</p>`)}
      ${answered ? html`<details><summary>${texts.answer}</summary>${this.derivation(question)}</details>` : nothing}`;
  }

  private derivation({ worked, derivation }: Question) {
    const { group } = this.exercise ?? {};
    if (!worked || !group) return derivation?.map((line) => html`<p class="number">${line}</p>`);
    return html`<tw-worked .group=${group.forest} .choice=${worked.choice} .turn=${worked.turn}></tw-worked>`;
  }

  private check(event: SubmitEvent, question: Question, index: number): void {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement).getAll('answer').map(String);
    const tries = (this.answers[index]?.tries ?? 0) + 1;
    this.answers = { ...this.answers, [index]: { ...checkAnswer(question, given), tries } };
    this.dispatchEvent(new AnsweredEvent(this.result()));
  }

  private result(): ExerciseResult {
    const { kind, rule } = this.lesson;
    const { group, questions = [] } = this.exercise ?? {};
    const answers = questions.flatMap(({ label, worked }, index): ExerciseAnswer[] => {
      const answered = this.answers[index];
      if (!answered) return [];
      const { check, given, tries } = answered;
      const turn = worked ? { turn: worked.turn } : {};
      return [{ question: label, place: index + 1, ...turn, text: given.slice(0, LONGEST), check, tries }];
    });
    const isAboutTurns = group && questions.some(({ worked }) => worked);
    return {
      number: this.number,
      kind,
      ...(rule === '' ? {} : { rule }),
      ...(isAboutTurns ? { step: group.step, group: group.forest } : {}),
      answers,
    };
  }
}

function blanks({ blanks: fields }: BlanksQuestion) {
  return fields.map(({ label, help, begin }) => {
    const input = html`<input type="text" name="answer" value=${begin ?? ''} autocomplete="off" />`;
    return label === undefined ? input : html`<label title=${help ?? nothing}>${label} ${input}</label>`;
  });
}

function choice({ options, several }: ChoiceQuestion) {
  if (several) {
    return options.map(
      (option, index) => html`<label><input type="checkbox" name="answer" value=${index} />${option}</label>`,
    );
  }
  return html`<select name="answer"><option value="">${exerciseStrings.pick}</option>${options.map(
    (option, index) => html`<option value=${index}>${option}</option>`,
  )}</select>`;
}
