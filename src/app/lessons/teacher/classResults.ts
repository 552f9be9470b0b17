import questions from 'virtual:assessment';
import { LESSONS } from 'virtual:lessons';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Lesson } from '../../../lessons/lesson.ts';
import { lessonRun } from '../../../lessons/lessonRun.ts';
import {
  type AnswerCount,
  type ClassLesson,
  type ClassQuestion,
  classLessons,
  classQuestions,
} from '../../../lessons/results/classResults.ts';
import type { CourseResult } from '../../../lessons/results/courseResult.ts';
import { readResultFile } from '../../../lessons/results/resultFile.ts';
import { fileDropStyles } from '../../look/fileDrop.ts';
import { base } from '../../look/styles.ts';
import { teacherStrings } from '../../strings/teacherStrings.ts';
import { lineLabel } from '../lessonCharts.ts';
import '../lessonProse.ts';
import './classChart.ts';
import { FilesDrop } from './filesDrop.ts';

/** Open result file. */
interface OpenedFile {
  readonly file: string;
  readonly result: CourseResult;
}

/** View of the result files of a class: all predictions in one chart, and the distribution of the answers. */
@customElement('tw-class')
export class ClassResults extends LitElement {
  static override styles = [
    base,
    fileDropStyles,
    css`
      .drop { padding: 0.75rem; margin-top: 0.75rem; }
      p { max-width: 44rem; line-height: 1.5; margin-top: 0.375rem; }
      h3 { margin: 1.5rem 0 0.375rem; font-size: 1.0625rem; }
      h4 { margin: 1rem 0 0.25rem; font-size: 0.9375rem; font-weight: 620; }
      .table { overflow-x: auto; max-width: 100%; }
      td.number, th.number { text-align: end; }
      .bar { display: grid; grid-template-columns: minmax(10rem, 22rem) 1fr; gap: 0.125rem 0.75rem; align-items: center; max-width: 56rem; margin-top: 0.375rem; line-height: 1.35; }
      .bars { display: grid; gap: 2px; font-size: 0.8125rem; }
      .bars span { display: grid; grid-template-columns: 4rem 1fr 2rem; gap: 0.5rem; align-items: center; }
      .bars i { display: block; height: 0.625rem; border-radius: 2px; background: var(--series-2); min-width: 1px; }
      .bars .after i { background: var(--series-1); }
      .bar.right > :first-child { font-weight: 620; }
      tw-lesson-prose:not(:first-of-type) { margin-top: 1.25rem; }
      .written { margin: 0.25rem 0; padding-inline-start: 1.25rem; max-width: 44rem; line-height: 1.45; }
      .written li { white-space: pre-line; overflow-wrap: anywhere; }
      details { margin-top: 0.5rem; }
      details li { overflow-wrap: anywhere; }
      @media (max-width: 40rem) { .bar { grid-template-columns: 1fr; } }
      @media (forced-colors: active) { .bars i { background: CanvasText; } }
    `,
  ];

  /** Open files. A caller can set files to show at first. */
  @property({ attribute: false }) opened: readonly OpenedFile[] = [];
  /** Loaded lessons to which the files refer, by name. */
  @state() private lessons: ReadonlyMap<string, Lesson> = new Map();
  @state() private problems: readonly string[] = [];
  /** Number of times that all files were closed, to discard files that load meanwhile. */
  private closed = 0;
  private readonly files = new FilesDrop(this, (files) => void this.read(files));

  protected override render() {
    const texts = teacherStrings.class;
    const { files, opened, problems } = this;
    return html`<section aria-labelledby="class"><h2 id="class">${texts.title}</h2>
      <p>${texts.lead}</p>
      <div class="drop ${files.over ? 'over' : ''}" @dragover=${files.drag} @dragleave=${files.leave} @drop=${files.drop}>
        <label class="button choose">${texts.choose}<input type="file" multiple accept=".json,application/json" @change=${files.choose} /></label>
        <span>${texts.drop}</span>
      </div>
      <div role="alert">${problems.map((problem) => html`<p class="alert">${problem}</p>`)}</div>
      <p class="visually-hidden" role="status">${opened.length === 0 ? '' : texts.read(opened.length)}</p>
      ${opened.length === 0 ? nothing : this.renderClass()}
    </section>`;
  }

  private renderClass() {
    const texts = teacherStrings.class;
    const results = this.opened.map(({ result }) => result);
    const findPrediction = (name: string) => this.lessons.get(name)?.predict;
    const answered = classQuestions(results, questions).filter(
      ({ picked, written }) => written.length > 0 || picked.some(({ before, after }) => before + after > 0),
    );
    return html`<details><summary>${texts.read(results.length)}</summary>
        <ul>${this.opened.map(({ file, result }) => html`<li>${texts.file(file, result.name, result.lessons.length)}</li>`)}</ul></details>
      <button class="small" @click=${this.clear}>${texts.clear}</button>
      ${classLessons(results, LESSONS, findPrediction).map((lesson) => this.lesson(lesson))}
      ${answered.length === 0 ? nothing : html`<h3>${texts.assessment}</h3>${answered.map((question) => this.question(question))}`}
      <p class="caption">${texts.check}</p>`;
  }

  private lesson({ lesson, predictions, middle, curves, steps, apart, exercises }: ClassLesson) {
    const texts = teacherStrings.class;
    const loaded = this.lessons.get(lesson.name);
    const run = loaded?.runs.find(({ name }) => name === loaded.predict.run);
    const line = loaded && run ? lineLabel(lessonRun(run).environment, loaded.predict.line) : '';
    return html`<h3>${texts.predictions(lesson.title, predictions.length)}</h3>
      <tw-class-chart .line=${line} .predictions=${predictions} .middle=${middle} .curves=${curves} .steps=${steps}></tw-class-chart>
      <p>${Number.isFinite(apart) ? texts.apart(Math.round(100 * apart)) : nothing}</p>
      ${exercises.length === 0 ? nothing : html`<h4>${texts.exercise}</h4>${this.counts(exercises)}`}`;
  }

  private counts(counts: readonly AnswerCount[]) {
    const texts = teacherStrings.class;
    const { question, right, near, wrong } = texts.answers;
    return html`<div class="table" tabindex="0" role="region" aria-label=${texts.exercise}><table>
      <thead><tr><th scope="col">${question}</th>${[right, near, wrong, texts.attempts].map((name) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead>
      <tbody>${counts.map(
        (row) =>
          html`<tr><th scope="row">${row.exercise}.${row.question}</th>${[row.right, row.near, row.wrong].map(
            (count) => html`<td class="number">${count}</td>`,
          )}<td class="number">${row.tries.toFixed(1)}</td></tr>`,
      )}</tbody></table></div>`;
  }

  private question({ question, picked, written }: ClassQuestion) {
    const texts = teacherStrings.class;
    const maximum = Math.max(1, ...picked.flatMap(({ before, after }) => [before, after]));
    const bar = (time: 'before' | 'after', count: number) =>
      html`<span class=${time}>${texts[time]}<i style="width: ${(100 * count) / maximum}%"></i><b class="number">${count}</b></span>`;
    return html`<tw-lesson-prose .text=${question.question}></tw-lesson-prose>
      ${picked.map(({ name, before, after }) => {
        const label = question.choices.find((choice) => choice.name === name)?.label ?? name;
        const right = name === question.right;
        return html`<div class="bar ${right ? 'right' : ''}"><span>${label}${right ? html` <em>(${texts.correct})</em>` : nothing}</span>
          <div class="bars">${bar('before', before)}${bar('after', after)}</div></div>`;
      })}
      ${
        written.length === 0
          ? nothing
          : html`<details><summary>${texts.open}</summary><ul class="written">${written.map(
              ({ time, text }) => html`<li>${texts[time]}: ${text}</li>`,
            )}</ul></details>`
      }`;
  }

  private async read(files: readonly File[]): Promise<void> {
    const { closed } = this;
    const read = await Promise.all(files.map(readFile));
    // The user closed all files while these files were read.
    if (closed !== this.closed) return;
    this.problems = read.flatMap(({ problem }) => problem ?? []);
    const added = read.flatMap(({ opened }) => opened ?? []);
    const names = added.map(({ file }) => file);
    await this.load(added);
    if (closed !== this.closed) return;
    // A file that is opened again replaces its earlier content.
    this.opened = [...this.opened.filter(({ file }) => !names.includes(file)), ...added];
  }

  private async load(files: readonly OpenedFile[]): Promise<void> {
    const requested = new Set(files.flatMap(({ result }) => result.lessons.map(({ lesson }) => lesson)));
    const heads = LESSONS.filter(({ name }) => requested.has(name) && !this.lessons.has(name));
    const loaded = await Promise.all(heads.map(async (head) => [head.name, (await head.load()).default] as const));
    this.lessons = new Map([...this.lessons, ...loaded]);
  }

  protected override firstUpdated(): void {
    if (this.opened.length > 0) void this.load(this.opened);
  }

  private clear(): void {
    this.closed++;
    this.opened = [];
    this.problems = [];
  }
}

async function readFile(file: File): Promise<{ readonly opened?: OpenedFile; readonly problem?: string }> {
  try {
    return { opened: { file: file.name, result: readResultFile(await file.text()) } };
  } catch (error) {
    return { problem: teacherStrings.class.rejectedText(file.name, (error as Error).message) };
  }
}
