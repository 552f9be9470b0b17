import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { LessonSheet } from '../../lessons/sheets.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { GroupView } from '../../training/data/protocol.ts';
import { base } from '../look/styles.ts';
import { sheetStrings } from '../strings/sheetStrings.ts';
import { AnsweredEvent, type Answers, withAnswer } from './answered.ts';
import './lessonProse.ts';
import { type Answered, checkSheetAnswer } from './sheets/checkQuestion.ts';
import { isTextCell, type Sheet, type SheetQuestion } from './sheets/sheet.ts';
import { sheetOf } from './sheets/sheetOf.ts';

/**
 * Exercise on groups of the user's run: a table, a hint, questions with checked answers, and derivations.
 * @fires answered after each answer (AnsweredEvent)
 */
@customElement('tw-lesson-sheet')
export class LessonSheetView extends LitElement {
  static override styles = [
    base,
    css`
      .table { overflow: auto; max-height: 24rem; width: fit-content; max-width: 100%; border: 1px solid var(--line); border-radius: 8px; }
      table { font-size: 0.875rem; font-variant-numeric: tabular-nums; background: var(--surface); }
      td, th { padding: 0.1875rem 0.75rem; text-align: start; }
      td.words { overflow-wrap: anywhere; }
      @media (max-width: 30rem) { td, th { padding-inline: 0.375rem; } }
      thead th { position: sticky; top: 0; background: var(--surface); vertical-align: bottom; }
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
      .right { color: var(--series-3); font-weight: 620; }
      .wrong { color: var(--bad); font-weight: 620; }
    `,
  ];

  @property({ attribute: false }) sheet!: LessonSheet;
  /** Number of the sheet in the lesson, from 1. Sheets are numbered after the exercises. */
  @property({ type: Number }) number = 1;
  @property({ attribute: false }) groups: readonly GroupView[] = [];
  @property({ attribute: false }) controls: ParameterValues = {};
  @property({ type: Boolean }) trained = false;
  @state() private answers: Readonly<Record<number, Answered>> = {};
  /** Answers in the form of the saved results. */
  private given: Answers = {};
  private createdSheet: Sheet | undefined;

  /** Creates the sheet when the run is finished, so that it does not change while the user works on it. */
  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('trained') && !changed.has('sheet')) return;
    this.answers = {};
    this.given = {};
    this.createdSheet = this.trained ? sheetOf(this.sheet, this.groups, this.controls) : undefined;
  }

  protected override render() {
    const texts = sheetStrings;
    const { createdSheet: sheet } = this;
    if (!sheet) return html`<p>${this.trained ? texts.none : texts.wait}</p>`;
    return html`<p class="caption">${sheet.caption}</p>
      ${this.table(sheet)}
      <details><summary>${texts.hint}</summary><tw-lesson-prose .text=${this.sheet.hint}></tw-lesson-prose>${sheet.given.map(
        (line) => html`<p class="number">${line}</p>`,
      )}</details>
      ${sheet.questions.map((question, index) => this.renderQuestion(question, index))}`;
  }

  private table({ caption, columns, rows }: Sheet) {
    return html`<div class="table" tabindex="0" role="region" aria-label=${caption}><table>
      <thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${rows.map(
        ({ cells: [first, ...rest], isQuestion }) =>
          html`<tr class=${isQuestion ? 'asked' : ''}><th scope="row">${first}</th>${rest.map((cell) => html`<td class=${isTextCell(cell) ? 'words' : ''}>${cell}</td>`)}</tr>`,
      )}</tbody></table></div>`;
  }

  private renderQuestion(question: SheetQuestion, index: number) {
    const texts = sheetStrings;
    const answered = this.answers[index];
    return html`<form @submit=${(event: SubmitEvent) => this.check(event, question, index)} novalidate>
        ${question.kind === 'number' ? html`<div class="line"><label>${question.label} <input type="text" name="answer" autocomplete="off" /></label>${this.renderGrade(answered, texts.check)}</div>` : this.several(question, answered)}
      </form>
      ${answered?.reports.map((line) => html`<p class="number">${line}</p>`)}
      ${answered ? html`<details><summary>${texts.answer}</summary>${question.derivation.map((line) => html`<p class="number">${line}</p>`)}</details>` : nothing}`;
  }

  private several(question: Exclude<SheetQuestion, { kind: 'number' }>, answered: Answered | undefined) {
    const texts = sheetStrings;
    return html`<fieldset><legend>${question.label}</legend>
      <div class="line">${
        question.kind === 'pick'
          ? question.options.map(
              ({ label }, option) =>
                html`<label><input type="checkbox" name="picked" value=${option} />${label}</label>`,
            )
          : question.table.map(
              ({ name, label, help }) =>
                html`<label title=${help}>${label} <input type="text" name=${name} value=${String(question.begin[name] ?? 0)} autocomplete="off" /></label>`,
            )
      }</div>
      <div class="line">${this.renderGrade(answered, question.kind === 'pay' ? texts.amounts : texts.check)}</div></fieldset>`;
  }

  private renderGrade(answered: Answered | undefined, label: string) {
    const right = answered?.check === 'right' || answered?.check === 'near';
    return html`<button>${label}</button>
      <span role="status" class=${right ? 'right' : 'wrong'}>${answered?.text ?? ''}</span>`;
  }

  private check(event: SubmitEvent, question: SheetQuestion, index: number): void {
    event.preventDefault();
    const answered = checkSheetAnswer(question, new FormData(event.target as HTMLFormElement));
    const { check, given: text } = answered;
    this.answers = { ...this.answers, [index]: answered };
    this.given = withAnswer(this.given, index, { question: question.label, text, check });
    const { kind, rule } = this.sheet;
    const about = kind === 'silent' ? { rule } : {};
    this.dispatchEvent(new AnsweredEvent({ number: this.number, kind, ...about, answers: Object.values(this.given) }));
  }
}
