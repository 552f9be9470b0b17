import { ticks } from 'd3-array';
import { css, html, LitElement, nothing, type PropertyValues, svg } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { writeViewAddress } from '../address/viewAddress.ts';
import { SHEETS, type Sheet, sheetAddress, TEACH } from './lessonAddresses.ts';
import { pageStyles } from './lessonProse.ts';
import './classResults.ts';
import { LESSONS } from 'virtual:lessons';
import notes from 'virtual:teacher';
import type { LessonNotes, TalkStep } from '../../lessons/course.ts';
import type { Lesson, LessonHead } from '../../lessons/lesson.ts';
import { base } from '../look/styles.ts';
import { teacherStrings } from '../strings/courseStrings.ts';
import { lessonStrings, trainingTime } from '../strings/lessonStrings.ts';

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

/**
 * Notes on a lesson for teachers: goals, a talk with a link for each slide, common misunderstandings, and links to the
 * printable sheets.
 */
@customElement('tw-lesson-notes')
export class LessonNotesView extends LitElement {
  static override styles = [
    base,
    pageStyles,
    css`
      .links { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin-top: 0.375rem; }
      .slide { margin: 0.25rem 0 0; font-size: 0.8125rem; overflow-wrap: anywhere; }
      @media print { .top, .links { display: none; } h2, h3 { break-after: avoid; } }
    `,
  ];

  @property({ attribute: false }) head!: LessonHead;
  @property({ attribute: false }) notes!: LessonNotes;

  protected override render() {
    const texts = teacherStrings;
    const { head, notes } = this;
    return html`<p class="top"><a href=${writeViewAddress('learn', TEACH)}>${texts.overview}</a> · ${lessonStrings.number(head.order, head.minutes)}</p>
      <h1>${head.title}</h1>
      <p class="links"><a href=${sheetAddress(head.name, 'worksheet')}>${texts.worksheet}</a>
        <a href=${sheetAddress(head.name, 'key')}>${texts.key}</a>
        <a href=${writeViewAddress('learn', head.name)}>${head.title}</a></p>
      <h2>${texts.goals}</h2><tw-lesson-prose .text=${notes.goals}></tw-lesson-prose>
      ${notes.seconds === undefined ? nothing : html`<h2>${texts.columns.waiting}</h2><p>${texts.about(trainingTime(notes.seconds))}</p><p class="caption">${texts.waitNote}</p>`}
      <h2>${texts.talk}</h2>${notes.talk.map((step) => this.step(step))}
      <h2>${texts.misunderstandings}</h2><tw-lesson-prose .text=${notes.misunderstandings}></tw-lesson-prose>`;
  }

  private step({ title, minutes, level, text }: TalkStep) {
    const texts = teacherStrings;
    const hash = writeViewAddress('learn', this.head.name, level);
    const address = `${location.origin}${location.pathname}${hash}`;
    return html`<h3>${title} <span class="caption">${texts.step(minutes)}</span></h3>
      <tw-lesson-prose .text=${text}></tw-lesson-prose>
      <p class="slide">${texts.slide}: <a href=${hash}>${address}</a></p>`;
  }
}

const WIDTH = 640;
const HEIGHT = 240;
const EDGE = { left: 46, right: 12, top: 10, bottom: 30 };

/** Printable worksheet of a lesson, or its answer key. The sheet is white in all themes. */
@customElement('tw-print-sheet')
export class PrintSheet extends LitElement {
  static override styles = [
    base,
    css`
      :host { --ink: #111; --ink-2: #444; --line: #c9c9c9; --line-2: #999; --surface: #fff; --accent: #111; --hover: #eee;
        color-scheme: light; color: #111; background: #fff; }
      article { max-width: 46rem; margin: 0 auto; padding: 1.5rem; }
      header { display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; justify-content: space-between; font-size: 0.9375rem; color: #444; }
      header span { flex: 1; min-width: 12rem; border-bottom: 1px solid #999; }
      h1 { margin: 1.25rem 0 0.25rem; font-size: 1.5rem; }
      .question { font-size: 1.0625rem; line-height: 1.5; margin-bottom: 0.75rem; }
      svg { display: block; width: 100%; height: auto; break-inside: avoid; }
      text { font-family: inherit; font-size: 13px; fill: #444; }
      .grid { stroke: #ddd; }
      .axis { stroke: #111; }
      .mark { stroke: #111; stroke-dasharray: 3 3; }
      ol.choices { margin: 0.25rem 0 1rem; line-height: 1.5; list-style: upper-alpha; }
      @media print {
        article { padding: 0; max-width: none; font-size: 0.8125rem; }
        h1 { margin-top: 0.75rem; font-size: 1.25rem; }
        .question { font-size: 0.875rem; }
        svg { max-height: 52mm; }
        ol.choices { margin-bottom: 0.5rem; }
        .noprint { display: none; }
      }
    `,
  ];

  @property({ attribute: false }) lesson!: Lesson;
  @property() kind: 'worksheet' | 'key' = 'worksheet';
  /** Text of the sheet, as HTML. */
  @property() text = '';

  protected override render() {
    const texts = teacherStrings.sheet;
    const { lesson, kind } = this;
    return html`<article>
      <p class="noprint"><button @click=${() => print()}>${teacherStrings.print}</button></p>
      ${
        kind === 'worksheet'
          ? html`<header><span>${texts.name}:</span><span>${texts.date}:</span></header>`
          : html`<header>${texts.key}</header>`
      }
      <h1>${lesson.title}</h1>
      ${kind === 'worksheet' ? this.prediction() : nothing}
      <tw-lesson-prose .text=${this.text}></tw-lesson-prose>
    </article>`;
  }

  /** Renders the question with empty axes, in which a student draws the prediction. */
  private prediction() {
    const texts = teacherStrings.sheet;
    const { predict, runs } = this.lesson;
    const run = runs.find(({ name }) => name === predict.run) ?? runs[0];
    const steps = run?.steps ?? 1;
    const x = (step: number) => EDGE.left + (step / steps) * (WIDTH - EDGE.left - EDGE.right);
    const y = (share: number) => HEIGHT - EDGE.bottom - share * (HEIGHT - EDGE.top - EDGE.bottom);
    return html`<p class="question">${predict.question}</p>
      <svg role="img" aria-label=${texts.predict} viewBox="0 0 ${WIDTH} ${HEIGHT}">
        ${[0, 0.25, 0.5, 0.75, 1].map(
          (share) => svg`<line class="grid" x1=${x(0)} x2=${x(steps)} y1=${y(share)} y2=${y(share)}></line>
            <text x=${x(0) - 6} y=${y(share) + 4} text-anchor="end">${100 * share}%</text>`,
        )}
        ${ticks(0, steps, 7).map(
          (step) => svg`<line class="grid" x1=${x(step)} x2=${x(step)} y1=${y(0)} y2=${y(1)}></line>
            <text x=${x(step)} y=${HEIGHT - 10} text-anchor="middle">${step === 0 ? `${texts.steps} 0` : step}</text>`,
        )}
        ${run?.schedule.map(
          ({ step }, index) => svg`<line class="mark" x1=${x(step)} x2=${x(step)} y1=${y(0)} y2=${y(1)}></line>
            <text x=${x(step) + 5} y=${y(1) + 14}>${run.changes[index] ?? ''}</text>`,
        )}
        <path class="axis" fill="none" d="M${x(0)} ${y(1)}V${y(0)}H${x(steps)}"></path>
      </svg>
      <p>${texts.choices}</p>
      <ol class="choices">${predict.choices.map(({ label }) => html`<li>${label}</li>`)}</ol>`;
  }
}
