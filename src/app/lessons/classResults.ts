import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { css, html, LitElement, nothing, svg } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { WidthController } from '../drawing/drawing.ts';
import { type DroppedFile, FileDrop, fileDropStyles } from '../look/fileDrop.ts';
import { lineLabel } from './lessonResult.ts';
import './lessonProse.ts';
import questions from 'virtual:assessment';
import { LESSONS } from 'virtual:lessons';
import { type Lesson, lessonRun } from '../../lessons/lesson.ts';
import {
  type AnswerCount,
  type ClassLesson,
  type ClassQuestion,
  classLessons,
  classQuestions,
} from '../../lessons/results/classResults.ts';
import type { CourseResult } from '../../lessons/results/courseResult.ts';
import { readResultFile } from '../../lessons/results/resultFile.ts';
import { base } from '../look/styles.ts';
import { teacherStrings } from '../strings/courseStrings.ts';

/** Open result file. Files of one name in two folders are different files. */
interface OpenedFile {
  /** Path in the dropped folder. */
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
  private readonly files = new FileDrop(this, (files) => void this.read(files.filter(isResult)));

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

  private async read(files: readonly DroppedFile[]): Promise<void> {
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

/** Returns false for a file in a dropped folder that is not JSON. */
const isResult = ({ path }: DroppedFile) => !path.includes('/') || path.endsWith('.json');

async function readFile({
  path,
  file,
}: DroppedFile): Promise<{ readonly opened?: OpenedFile; readonly problem?: string }> {
  try {
    return { opened: { file: path, result: readResultFile(await file.text()) } };
  } catch (error) {
    return { problem: teacherStrings.class.rejectedText(path, (error as Error).message) };
  }
}

const HEIGHT = 260;
const EDGE = { left: 48, right: 16, top: 10, bottom: 28 };

type Curve = readonly (number | null)[];

/** Chart of the first predictions of a class, their median, and the measured curve of each student. */
@customElement('tw-class-chart')
export class ClassChart extends LitElement {
  static override styles = [
    base,
    css`
      svg { display: block; width: 100%; overflow: visible; }
      text { font-family: inherit; font-size: 12px; fill: var(--ink-2); font-variant-numeric: tabular-nums; }
      .grid { stroke: var(--line); }
      path { fill: none; stroke-linejoin: round; stroke-linecap: round; }
      .predicted { stroke: var(--series-2); stroke-width: 1.5; opacity: 0.45; }
      .middle { stroke: var(--series-2); stroke-width: 3.5; stroke-dasharray: 8 5; }
      .result { stroke: var(--series-1); stroke-width: 1.75; opacity: 0.7; }
      ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 0.25rem 0 0; padding: 0; list-style: none; font-size: 0.8125rem; }
      li { display: inline-flex; gap: 0.4rem; align-items: center; }
      li svg { width: 26px; height: 8px; }
      @media (forced-colors: active) { path { stroke: CanvasText; } }
    `,
  ];

  /** Label of the predicted line. */
  @property() line = '';
  /** Predicted shares [students][points]. */
  @property({ attribute: false }) predictions: readonly Curve[] = [];
  /** Median of the predictions [points]. */
  @property({ attribute: false }) middle: Curve = [];
  /** Measured values of the predicted line [students][steps]. */
  @property({ attribute: false }) curves: readonly Curve[] = [];
  /** Number of updates of the run. */
  @property({ type: Number }) steps = 1;
  private readonly size = new WidthController(this);

  protected override render() {
    const texts = teacherStrings.class;
    const width = Math.max(EDGE.left + EDGE.right + 1, this.size.width);
    const x = scaleLinear([0, this.steps], [EDGE.left, width - EDGE.right]);
    const y = scaleLinear([0, 1], [HEIGHT - EDGE.bottom, EDGE.top]);
    const path = (curve: Curve, at: (index: number) => number) =>
      line<number | null>(
        (_, index) => x(at(index)),
        (value) => y(value ?? 0),
      )
        .defined((value) => value !== null)
        .digits(1)(curve) ?? '';
    const spaced = (curve: Curve) => (index: number) => (index / Math.max(1, curve.length - 1)) * this.steps;
    const drawn = (curve: Curve, name: string) => svg`<path class=${name} d=${path(curve, spaced(curve))}></path>`;
    return html`<svg role="img" aria-label=${texts.chart(this.predictions.length, this.line)} viewBox="0 0 ${width} ${HEIGHT}" height=${HEIGHT}>
        ${[0, 0.25, 0.5, 0.75, 1].map(
          (
            share,
          ) => svg`<line class="grid" x1=${EDGE.left} x2=${width - EDGE.right} y1=${y(share)} y2=${y(share)}></line>
            <text x=${EDGE.left - 6} y=${y(share) + 4} text-anchor="end">${100 * share}%</text>`,
        )}
        ${x.ticks(Math.max(2, Math.floor(width / 90))).map((step) => svg`<text x=${x(step)} y=${HEIGHT - 8} text-anchor="middle">${step}</text>`)}
        ${this.predictions.map((curve) => drawn(curve, 'predicted'))}
        ${this.curves.map((curve) => svg`<path class="result" d=${path(curve, (step) => step)}></path>`)}
        ${drawn(this.middle, 'middle')}
      </svg>
      <ul>${(['predicted', 'middle', 'result'] as const).map(
        (name) =>
          html`<li><svg viewBox="0 0 26 8" aria-hidden="true"><path class=${name} d="M1 4H25"></path></svg>${texts[name]}</li>`,
      )}</ul>`;
  }
}
