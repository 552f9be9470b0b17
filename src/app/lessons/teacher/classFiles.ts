import questions from 'virtual:assessment';
import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Lesson } from '../../../lessons/lesson.ts';
import type { GradeLine, Verdict } from '../../../lessons/results/grade.ts';
import { base } from '../../look/styles.ts';
import { teacherStrings } from '../../strings/teacherStrings.ts';
import { type Checking, FileChecks } from './fileChecks.ts';
import type { OpenedFile } from './openedFile.ts';

/** Verdicts about runs; the others are about answers. */
const OF_RUNS: readonly Verdict[] = ['same', 'near', 'differs', 'unchecked'];

/** The list of the files of a class, each with a button that trains its runs again and says what came. */
@customElement('tw-class-files')
export class ClassFiles extends LitElement {
  static override styles = [
    base,
    css`
      ul { margin: 0.5rem 0; padding: 0; list-style: none; }
      li { padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
      .line { display: flex; flex-wrap: wrap; gap: 0.375rem 0.75rem; align-items: center; }
      .name { overflow-wrap: anywhere; min-width: 0; }
      progress { width: 9rem; accent-color: var(--accent); }
      p { max-width: 44rem; line-height: 1.5; margin: 0.375rem 0 0; }
      .table { overflow-x: auto; max-width: 100%; margin-top: 0.375rem; }
      table { font-size: 0.875rem; }
      td, th { padding: 0.1875rem 0.75rem 0.1875rem 0; text-align: start; vertical-align: top; }
      td.note { min-width: 14rem; overflow-wrap: anywhere; }
      .same, .near, .right { color: var(--series-3); font-weight: 620; }
      .differs, .wrong { color: var(--bad); font-weight: 620; }
    `,
  ];

  @property({ attribute: false }) opened: readonly OpenedFile[] = [];
  /** Lessons that files are about. */
  @property({ attribute: false }) lessons: ReadonlyMap<string, Lesson> = new Map();
  @property({ attribute: false }) checks = new FileChecks(this);

  /** A file that was opened again or closed has to be checked anew. */
  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('opened');
    if (before?.some((one) => !this.opened.includes(one))) this.checks.clear();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.checks.stop();
  }

  protected override render() {
    return html`<ul>${this.opened.map((one) => this.file(one))}</ul>`;
  }

  private file(one: OpenedFile) {
    const texts = teacherStrings.check;
    const { going, found } = this.checks;
    const { file, result } = one;
    const lines = found.get(file);
    return html`<li>
      <div class="line"><span class="name">${teacherStrings.class.file(file, result.name, result.lessons.length)}</span>${
        going?.file === file
          ? this.progress(going)
          : html`<button class="small" ?disabled=${going !== undefined} aria-label=${texts.checkOf(file)} @click=${() => this.check(one)}>${texts.check}</button>`
      }</div>
      <div role="status">${lines ? html`<p>${summary(lines)}</p>` : nothing}</div>
      ${lines ? this.lines(file, lines) : nothing}
    </li>`;
  }

  private progress({ run, runs, lesson, step, steps }: Checking) {
    const texts = teacherStrings.check;
    const text = steps === 0 ? texts.going : texts.progress(run, runs, lesson, step, steps);
    return html`<progress max=${steps || 1} .value=${step} aria-label=${text}></progress><span class="number">${text}</span>
      <button class="small" @click=${() => this.checks.stop()}>${texts.stop}</button>`;
  }

  private lines(file: string, lines: readonly GradeLine[]) {
    const texts = teacherStrings.check;
    const runs = lines.filter(({ verdict }) => OF_RUNS.includes(verdict));
    const others = lines.filter(({ verdict }) => !OF_RUNS.includes(verdict));
    return html`${runs.length > 0 ? this.table(texts.runs(file), runs) : nothing}
      ${others.length > 0 ? html`<details><summary>${texts.answers(others.length)}</summary>${this.table(texts.answersOf(file), others)}</details>` : nothing}`;
  }

  private table(label: string, lines: readonly GradeLine[]) {
    const { columns, verdicts } = teacherStrings.check;
    return html`<div class="table" tabindex="0" role="region" aria-label=${label}><table>
      <thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${lines.map(
        ({ lesson, attempt, question, answer, verdict, note }) =>
          html`<tr><th scope="row">${this.lessons.get(lesson)?.title ?? lesson}</th><td>${attempt || nothing}</td><td>${question}</td>
            <td>${answer}</td><td class=${verdict}>${verdicts[verdict]}</td><td class="note">${note}</td></tr>`,
      )}</tbody></table></div>`;
  }

  private check(one: OpenedFile): void {
    void this.checks.check(one, { lessons: [...this.lessons.values()], assessment: questions });
  }
}

function summary(lines: readonly GradeLine[]): string {
  const count = (...verdicts: readonly Verdict[]) => lines.filter(({ verdict }) => verdicts.includes(verdict)).length;
  return teacherStrings.check.summary(count('same', 'near'), count('differs'), count('unchecked'));
}
