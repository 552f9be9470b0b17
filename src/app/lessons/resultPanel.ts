import { LESSONS } from 'virtual:lessons';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { AssessmentAnswers, CourseResult, LessonRecord } from '../../lessons/results/courseResult.ts';
import { writeResultFile } from '../../lessons/results/resultFile.ts';
import { download } from '../look/download.ts';
import { base, panel } from '../look/styles.ts';
import { resultStrings } from '../strings/courseStrings.ts';
import { courseResult, deleteResults, saveName } from './lessonMemory.ts';

/** Panel with the results of the user in all lessons. The user can save them as a file; the page does not send them. */
@customElement('tw-results')
export class ResultPanel extends LitElement {
  static override styles = [
    base,
    panel,
    css`
      p, ul { max-width: 44rem; margin: 0.375rem 0 0; line-height: 1.5; }
      ul { padding-inline-start: 1.25rem; }
      .actions { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: end; margin-top: 0.75rem; }
      label { display: grid; gap: 0.25rem; font-size: 0.875rem; }
      input { width: min(16rem, 100%); }
      @media print { :host { display: none; } }
    `,
  ];

  /** Results to show instead of the results stored in the browser. */
  @property({ attribute: false }) displayed: CourseResult | undefined;
  /** True while the panel requests confirmation for deleting the results. */
  @state() private isConfirming = false;

  protected override render() {
    const texts = resultStrings;
    const result = this.result();
    const { lessons, assessment } = result;
    const answered = countOf(assessment, 'before') + countOf(assessment, 'after');
    if (lessons.length === 0 && answered === 0) {
      return html`<section aria-labelledby="title"><h2 id="title">${texts.title}</h2><p>${texts.none}</p></section>`;
    }
    return html`<section aria-labelledby="title">
      <h2 id="title">${texts.title}</h2>
      <p>${texts.lead}</p>
      <ul>${lessons.map((record) => html`<li>${describeRecord(record)}</li>`)}
        ${answered === 0 ? nothing : html`<li>${texts.assessment(countOf(assessment, 'before'), countOf(assessment, 'after'))}</li>`}</ul>
      <div class="actions">
        <label>${texts.name}<input type="text" autocomplete="name" maxlength="100" .value=${result.name} @change=${this.rename} /></label>
        <button class="primary" @click=${this.save}>${texts.save}</button>
        <button @click=${() => (this.isConfirming = true)}>${texts.reset}</button>
      </div>
      ${this.isConfirming ? this.question() : nothing}
    </section>`;
  }

  private question() {
    const texts = resultStrings;
    return html`<p role="alert">${texts.sure}</p>
      <div class="actions"><button @click=${this.resetProgress}>${texts.yes}</button>
        <button @click=${() => (this.isConfirming = false)}>${texts.no}</button></div>`;
  }

  private result(): CourseResult {
    return this.displayed ?? courseResult(LESSONS.map(({ name }) => name));
  }

  private rename(event: Event): void {
    saveName((event.target as HTMLInputElement).value.trim());
    this.requestUpdate();
  }

  private save(): void {
    const result = this.result();
    const name = result.name.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '');
    download(resultStrings.file(name), 'application/json', writeResultFile(result));
  }

  private resetProgress(): void {
    const names = LESSONS.map(({ name }) => name);
    deleteResults(names);
    this.isConfirming = false;
  }
}

function describeRecord({ lesson, attempts }: LessonRecord): string {
  const title = LESSONS.find(({ name }) => name === lesson)?.title ?? lesson;
  const answers = attempts.flatMap(({ exercises }) => exercises.flatMap((exercise) => exercise.answers)).length;
  return resultStrings.lesson(title, attempts.length, answers);
}

function countOf(assessment: AssessmentAnswers, when: keyof AssessmentAnswers): number {
  return Object.keys(assessment[when] ?? {}).length;
}
