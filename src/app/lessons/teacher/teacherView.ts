import { LESSONS } from 'virtual:lessons';
import notes from 'virtual:teacher';
import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { LessonNotes } from '../../../lessons/course/teacher.ts';
import type { Lesson } from '../../../lessons/lesson.ts';
import { writeViewAddress } from '../../address/viewAddress.ts';
import { base } from '../../look/styles.ts';
import { teacherStrings } from '../../strings/teacherStrings.ts';
import { pageStyles } from '../lessonStyles.ts';
import '../lessonProse.ts';
import { SHEETS, type Sheet, sheetAddress, TEACH } from './addresses.ts';
import './classResults.ts';
import './lessonNotes.ts';
import './printSheet.ts';
import { trainingTime } from './waiting.ts';

/** Pages for teachers: teaching plans, notes and printable sheets of the lessons, and the results of a class. */
@customElement('tw-teacher')
export class TeacherView extends LitElement {
  static override styles = [
    base,
    pageStyles,
    css`
      .table { overflow-x: auto; max-width: 100%; }
      table { font-size: 0.9375rem; }
      td, th { padding: 0.375rem 0.75rem 0.375rem 0; vertical-align: top; min-width: 6rem; }
      td span { display: block; }
      @media (max-width: 480px) {
        table { font-size: 0.8125rem; }
        td, th { padding-inline-end: 0.375rem; min-width: 0; hyphens: auto; }
      }
      details { max-width: 44rem; margin-top: 0.5rem; }
      summary { font-weight: 620; padding: 0.25rem 0; }
      tw-class { margin-top: 0.5rem; }
      @media print { tw-class, .top { display: none; } }
    `,
  ];

  /** Parts of the address after `#learn/teach/`: the name of a lesson, and `worksheet` or `key`. */
  @property({ attribute: false }) path: readonly string[] = [];
  @state() private lesson: Lesson | undefined;
  @state() private failed = '';

  protected override willUpdate(changed: PropertyValues<this>): void {
    const [name, sheet] = this.path;
    if (changed.has('path') && name !== undefined && isSheet(sheet) && this.lesson?.name !== name) void this.load(name);
  }

  protected override render() {
    const [name, sheet] = this.path;
    const lessonNotes = notes.lessons.find(({ lesson }) => lesson === name);
    const head = LESSONS.find((lesson) => lesson.name === name);
    if (!lessonNotes || !head) return this.overview(name);
    if (!isSheet(sheet)) return html`<tw-lesson-notes .head=${head} .notes=${lessonNotes}></tw-lesson-notes>`;
    if (this.failed) return html`<p role="alert">${teacherStrings.notLoaded(this.failed)}</p>`;
    if (this.lesson?.name !== name) return html`<p role="status">${teacherStrings.loading}</p>`;
    return html`<tw-print-sheet .lesson=${this.lesson} kind=${sheet} .text=${lessonNotes[sheet]}></tw-print-sheet>`;
  }

  private overview(name: string | undefined) {
    const texts = teacherStrings;
    return html`<p class="top"><a href=${writeViewAddress('learn')}>${texts.all}</a></p>
      ${name === undefined ? nothing : html`<p role="status">${texts.none(name)}</p>`}
      <h1>${texts.title}</h1>
      <tw-lesson-prose .text=${notes.about}></tw-lesson-prose>
      ${notes.plans.map(
        ({ minutes, text }) =>
          html`<details><summary>${texts.plan(minutes)}</summary><tw-lesson-prose .text=${text}></tw-lesson-prose></details>`,
      )}
      <h2>${texts.lessons}</h2>${this.table()}
      <p class="caption">${texts.waitNote}</p>
      <tw-class></tw-class>`;
  }

  private table() {
    const { columns } = teacherStrings;
    return html`<div class="table" tabindex="0" role="region" aria-label=${teacherStrings.lessons}><table>
      <thead><tr>${Object.values(columns).map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
      <tbody>${LESSONS.map(
        ({
          name,
          order,
          title,
          minutes,
        }) => html`<tr><th scope="row"><a href=${writeViewAddress('learn', name)}>${order}. ${title}</a></th>
          <td>${teacherStrings.minutes(minutes)}</td>${this.cells(notes.lessons.find(({ lesson }) => lesson === name))}</tr>`,
      )}</tbody></table></div>`;
  }

  private cells(lessonNotes: LessonNotes | undefined) {
    const texts = teacherStrings;
    if (!lessonNotes) return html`<td></td><td></td><td></td>`;
    return html`<td><a href=${writeViewAddress('learn', TEACH, lessonNotes.lesson)}>${texts.notes}</a></td>
      <td>${SHEETS.map((sheet) => html`<span><a href=${sheetAddress(lessonNotes.lesson, sheet)}>${texts[sheet]}</a></span>`)}</td>
      <td>${lessonNotes.seconds === undefined ? nothing : texts.about(trainingTime(lessonNotes.seconds))}</td>`;
  }

  private async load(name: string): Promise<void> {
    this.failed = '';
    try {
      const loaded = await LESSONS.find((lesson) => lesson.name === name)?.load();
      if (this.path[0] === name) this.lesson = loaded?.default;
    } catch (error) {
      this.failed = (error as Error).message;
    }
  }
}

function isSheet(name: string | undefined): name is Sheet {
  return SHEETS.some((sheet) => sheet === name);
}
