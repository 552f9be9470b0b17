import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { GroupView } from '../../training/data/protocol.ts';
import { runChoice } from '../group/judging.ts';
import '../inspector/workedLines.ts';
import { base } from '../look/styles.ts';
import { lessonStrings } from '../strings/lessonStrings.ts';
import { type Check, checkAnswer, type Question, questionsOf, tableOf } from './exerciseOf.ts';

/** An exercise that is made from a group of the reader's own run and corrects itself: work out an advantage by hand. */
@customElement('tw-lesson-exercise')
export class LessonExercise extends LitElement {
  static override styles = [
    base,
    css`
      .table { overflow-x: auto; max-height: 22rem; overflow-y: auto; width: fit-content; max-width: 100%; border: 1px solid var(--line); border-radius: 8px; }
      table { font-size: 0.875rem; font-variant-numeric: tabular-nums; background: var(--surface); }
      td, th { padding: 0.1875rem 0.875rem; text-align: end; }
      thead th { position: sticky; top: 0; background: var(--surface); }
      tr.asked > * { background: var(--note-ground); font-weight: 620; color: var(--ink); }
      form { display: flex; flex-wrap: wrap; gap: 0.375rem 0.75rem; align-items: center; margin-top: 0.75rem; }
      form label { display: inline-flex; flex-wrap: wrap; gap: 0.25rem 0.5rem; align-items: center; }
      input { width: 6rem; }
      details { margin-top: 0.5rem; max-width: 44rem; font-size: 0.9375rem; }
      .given { margin: 0.5rem 0; }
      .right { color: var(--series-3); font-weight: 620; }
      .wrong { color: var(--bad); font-weight: 620; }
    `,
  ];

  @property() rule = '';
  @property({ attribute: false }) group: GroupView | undefined;
  @property({ type: Boolean }) trained = false;
  @state() private checks: Readonly<Record<number, Check>> = {};

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('group')) this.checks = {};
  }

  protected override render() {
    const texts = lessonStrings.exercise;
    const { group } = this;
    if (!group) return html`<p>${this.trained ? texts.none : texts.wait}</p>`;
    const questions = questionsOf(group, this.rule);
    return html`<p class="caption">${texts.group(group.step, group.rollouts.length)} ${group.question}</p>
      ${this.table(group, questions)}
      <details><summary>${texts.hint}</summary><p>${texts.hintText}</p>${tableOf(group, this.rule).given.map(
        ({ column, mean, deviation }) =>
          html`<p class="given number">${texts.numbers(texts[column], mean, deviation)}</p>`,
      )}</details>
      ${questions.map((question, index) => this.question(question, index, group))}`;
  }

  private table(group: GroupView, questions: readonly Question[]) {
    const texts = lessonStrings.exercise;
    const { rows, given } = tableOf(group, this.rule);
    return html`<div class="table" tabindex="0" role="region" aria-label=${texts.group(group.step, rows.length)}><table>
      <thead><tr>${[texts.rollout, texts.searched, ...given.map(({ column }) => texts[column])].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${rows.map(
        (
          { searched, first, outcome },
          index,
        ) => html`<tr class=${questions.some(({ rollout }) => rollout === index) ? 'asked' : ''}>
          <th scope="row">${index + 1}</th><td>${searched ? texts.yes : texts.no}</td>${first === undefined ? nothing : html`<td>${first}</td>`}<td>${outcome}</td></tr>`,
      )}</tbody></table></div>`;
  }

  private question(question: Question, index: number, group: GroupView) {
    const texts = lessonStrings.exercise;
    const check = this.checks[index];
    return html`<form @submit=${(event: Event) => this.check(event, question, index)}>
        <label>${texts.ask(question.rollout + 1, question.turn + 1)}
          <input type="text" inputmode="text" name="answer" autocomplete="off" /></label>
        <button>${texts.check}</button>
        <span role="status" class=${check === 'right' || check === 'near' ? 'right' : 'wrong'}>${check ? texts[check] : ''}</span>
      </form>
      ${
        check === undefined
          ? nothing
          : html`<details><summary>${texts.answer}</summary>
              <tw-worked .group=${group.forest} .choice=${runChoice(this.rule, {})} .rule=${this.rule} .turn=${question.forestTurn}></tw-worked></details>`
      }`;
  }

  private check(event: Event, { advantage }: Question, index: number): void {
    event.preventDefault();
    const answer = new FormData(event.target as HTMLFormElement).get('answer');
    this.checks = { ...this.checks, [index]: checkAnswer(String(answer ?? ''), advantage) };
  }
}
