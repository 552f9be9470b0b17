import { css, html, LitElement, nothing, type PropertyValues, svg } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import { ViewAddressEvent, writeViewAddress } from '../address/viewAddress.ts';
import { recordOf, savedLevel, savedPrediction, saveLevel } from './lessonMemory.ts';
import type { LevelEvent } from './lessonView.ts';
import './lessonView.ts';
import './resultPanel.ts';
import { base } from '../look/styles.ts';
import { QUESTIONS, TEACH } from './lessonAddresses.ts';
import '../look/themeSwitch.ts';
import { LESSONS } from 'virtual:lessons';
import { LEVELS, type Lesson, type LessonHead, type Level, UNITS, type Unit } from '../../lessons/lesson.ts';
import { assessmentStrings, resultStrings, teacherStrings } from '../strings/courseStrings.ts';
import { lessonStrings, trainingTime } from '../strings/lessonStrings.ts';

/** Page next to the lessons. Its code is loaded when the user first opens it. */
interface LessonPage {
  readonly title: string;
  readonly load: () => Promise<unknown>;
  /** @param path parts of the address after the name of the page */
  readonly view: (path: readonly string[]) => unknown;
}

const TEACHERS: LessonPage = {
  title: teacherStrings.title,
  load: () => import('./teacherView.ts'),
  view: (path) => html`<tw-teacher .path=${path}></tw-teacher>`,
};

/** Pages by their names in the address, after `#learn/`. No lesson has one of these names. */
const LESSON_PAGES: Readonly<Record<string, LessonPage>> = {
  [QUESTIONS]: {
    title: assessmentStrings.title,
    load: () => import('./assessmentView.ts'),
    view: () => html`<tw-assessment></tw-assessment>`,
  },
  [TEACH]: TEACHERS,
  // Alias, because users may enter the plural in the address.
  teachers: TEACHERS,
};

/**
 * Lessons page: the list of lessons, or the lesson or other page that the address selects. The address can also select
 * the reading level.
 * @fires place-address when the user selects another level in a lesson (ViewAddressEvent)
 */
@customElement('tw-lessons')
export class LessonsView extends LitElement {
  static override styles = [
    base,
    css`
      main { max-width: 80rem; margin: 0 auto; padding: 1rem clamp(0.75rem, 2vw, 1.5rem) 2.5rem; outline: none; }
      header { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; justify-content: space-between; margin-bottom: 0.5rem; }
      header nav { display: flex; flex-wrap: wrap; gap: 0.5rem; }
      h1 { margin: 0; font-size: 1.5rem; letter-spacing: -0.02em; }
      h2 { margin: 1.5rem 0 0.625rem; font-size: 1.1875rem; }
      h2 .caption { margin-inline-start: 0.375rem; font-weight: 400; }
      .lead { max-width: 44rem; font-size: 1.0625rem; line-height: 1.5; }
      progress { width: 8rem; height: 0.625rem; accent-color: var(--series-3); vertical-align: middle; }
      .lead.caption { font-size: 0.875rem; margin-top: 0.25rem; }
      ol { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 27rem), 1fr)); gap: 0.75rem; margin: 0; padding: 0; list-style: none; }
      footer { display: flex; justify-content: end; max-width: 80rem; margin: 0 auto; padding: 0 clamp(0.75rem, 2vw, 1.5rem) 1.5rem; font-size: 0.8125rem; }
      tw-results { margin: 1.5rem 0; }
      @media print { main { max-width: none; padding: 0; } footer { display: none; } }
      .notice { margin-bottom: 1rem; padding: 0.5rem 0.75rem; border: 1px solid var(--note-line); border-radius: 8px; background: var(--note-ground); }
      li { display: grid; }
      .card { display: grid; grid-template-columns: 10rem minmax(0, 1fr); gap: 1rem; align-items: center; padding: 0.75rem 0.875rem;
        border: 1px solid var(--line); border-radius: 10px; background: var(--surface); }
      .look { display: grid; gap: 0.375rem; align-content: center; min-height: 5.625rem; }
      .look svg { display: block; width: 100%; height: auto; }
      .curves { border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); }
      .predicted { fill: none; stroke: var(--series-2); stroke-width: 1.5; stroke-dasharray: 5 3; }
      .came { fill: none; stroke: var(--series-1); stroke-width: 2; }
      .card a { font-size: 1.0625rem; font-weight: 620; color: var(--accent); }
      .card p { margin-top: 0.25rem; line-height: 1.45; }
      .facts { display: flex; flex-wrap: wrap; gap: 0.125rem 0.875rem; font-size: 0.8125rem; color: var(--ink-2); }
      .done { color: var(--series-3); font-weight: 620; }
      @media (max-width: 30rem) { .card { grid-template-columns: 6rem minmax(0, 1fr); gap: 0.75rem; padding: 0.625rem; } }
    `,
  ];

  /** Parts of the address after `#learn/`: the name of a lesson and a reading level, or the name of another page. */
  @property({ attribute: false }) path: readonly string[] = [];
  @property({ type: Boolean }) embed = false;
  @state() private lesson: Lesson | undefined;
  @state() private failed = '';
  @state() private level: Level = savedLevel();
  /** Names of the additional pages whose code is loaded. */
  @state() private loadedPages: readonly string[] = [];
  private requestedName = '';

  private get secondaryPage(): LessonPage | undefined {
    const [name = ''] = this.path;
    return Object.hasOwn(LESSON_PAGES, name) ? LESSON_PAGES[name] : undefined;
  }

  private get head() {
    return LESSONS.find(({ name }) => name === this.path[0]);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('path')) return;
    this.level = LEVELS.find((level) => level === this.path[1]) ?? this.level;
    const { head } = this;
    if (head && head.name !== this.lesson?.name) void this.load();
    else if (!head) this.lesson = undefined;
    this.failed = '';
    if (this.secondaryPage && !this.loadedPages.includes(this.path[0] ?? '')) void this.loadSecondaryPage();
    document.title = `${this.secondaryPage?.title ?? head?.title ?? lessonStrings.title} · Turnwise`;
  }

  protected override render() {
    const texts = lessonStrings;
    const { head, lesson } = this;
    if (this.secondaryPage)
      return html`<main id="main" tabindex="-1">${this.renderSecondaryPage(this.secondaryPage)}</main>${this.footer()}`;
    if (!head) return html`${this.list()}${this.footer()}`;
    if (this.failed) {
      return html`<main><p role="alert">${texts.notLoaded(this.failed)} <button @click=${this.load}>${texts.again}</button></p></main>`;
    }
    if (lesson?.name !== head.name) return html`<main><p role="status">${texts.loading}</p></main>`;
    const next = LESSONS.find(({ order }) => order > head.order);
    return html`<main id="main" tabindex="-1"><tw-lesson .lesson=${lesson} .level=${this.level} .next=${next} @level=${this.choose}></tw-lesson></main>${this.footer()}`;
  }

  private renderSecondaryPage({ view }: LessonPage) {
    const texts = lessonStrings;
    const [name = '', ...path] = this.path;
    if (this.failed) {
      return html`<p role="alert">${texts.notLoaded(this.failed)} <button @click=${this.loadSecondaryPage}>${texts.again}</button></p>`;
    }
    return this.loadedPages.includes(name) ? view(path) : html`<p role="status">${texts.loading}</p>`;
  }

  private loadSecondaryPage = async (): Promise<void> => {
    const [name = ''] = this.path;
    this.failed = '';
    try {
      await this.secondaryPage?.load();
      this.loadedPages = [...this.loadedPages, name];
    } catch (error) {
      if (this.path[0] === name) this.failed = error instanceof Error ? error.message : String(error);
    }
  };

  private footer() {
    return this.embed ? nothing : html`<footer><tw-theme-switch></tw-theme-switch></footer>`;
  }

  private list() {
    const texts = lessonStrings;
    const [name] = this.path;
    const done = LESSONS.filter((lesson) => recordOf(lesson.name)).length;
    const finished = texts.finished(done, LESSONS.length);
    return html`<main id="main" tabindex="-1">
      ${name === undefined ? nothing : html`<p class="notice" role="status">${texts.none(name)}</p>`}
      <header><h1>${texts.title}</h1><nav aria-label=${texts.more}>
        <a class="button" href=${writeViewAddress('learn', QUESTIONS)}>${assessmentStrings.title}</a>
        <a class="button" href=${writeViewAddress('learn', TEACH)}>${teacherStrings.title}</a>
        <button @click=${this.showResults}>${resultStrings.link}</button></nav></header>
      <p class="lead">${texts.lead}</p>
      <p class="lead caption">${assessmentStrings.title}: ${assessmentStrings.sentence}</p>
      <p class="lead caption"><progress max=${LESSONS.length} .value=${done} aria-label=${finished}></progress> ${finished}</p>
      ${UNITS.map((unit) => this.unit(unit))}
      <tw-results></tw-results>
    </main>`;
  }

  private unit(unit: Unit) {
    const lessons = LESSONS.filter((lesson) => lesson.unit === unit);
    const minutes = lessons.reduce((sum, lesson) => sum + lesson.minutes, 0);
    return html`<section aria-labelledby=${unit}>
      <h2 id=${unit}>${lessonStrings.units[unit]} <span class="caption">${lessonStrings.unit(lessons.length, minutes)}</span></h2>
      <ol>${lessons.map((lesson) => html`<li>${lessonCard(lesson)}</li>`)}</ol></section>`;
  }

  private showResults = (): void => {
    const panel = this.renderRoot.querySelector<HTMLElement>('tw-results');
    panel?.scrollIntoView({ block: 'start' });
    panel?.focus({ preventScroll: true });
  };

  private load = async (): Promise<void> => {
    const { head } = this;
    if (!head) return;
    this.requestedName = head.name;
    this.failed = '';
    try {
      const loaded = await head.load();
      if (this.requestedName === head.name) this.lesson = loaded.default;
    } catch (error) {
      if (this.requestedName === head.name) this.failed = error instanceof Error ? error.message : String(error);
    }
  };

  private choose = ({ detail }: LevelEvent): void => {
    this.level = detail;
    saveLevel(detail);
    if (this.head) this.dispatchEvent(new ViewAddressEvent(writeViewAddress('learn', this.head.name, detail)));
  };
}

/** Width and height of the small chart of a card [px]. */
const WIDTH = 160;
const HEIGHT = 44;

/** Renders the card of a lesson in the list: picture, title, summary, duration, and the progress of the user. */
function lessonCard({ name, order, title, sentence, minutes, seconds, picture, predict }: LessonHead) {
  const texts = lessonStrings;
  const attempt = recordOf(name)?.attempts.at(-1);
  const state = attempt ? 'done' : savedPrediction(name) ? 'predicted' : 'new';
  const result = attempt?.runs.find((run) => run.name === predict.run)?.curves[predict.line];
  return html`<div class="card">
    <div class="look">${picture ? html`<div role="img" aria-label=${picture.alt}>${unsafeHTML(picture.svg)}</div>` : nothing}
      ${attempt && result ? curves(attempt.prediction, result) : nothing}</div>
    <div><a href=${writeViewAddress('learn', name)}>${title}</a>
      <p>${sentence}</p>
      <p class="facts"><span>${texts.lesson(order)}</span><span>${texts.minutes(minutes)}</span>
        ${seconds === undefined ? nothing : html`<span>${texts.training(trainingTime(seconds))}</span>`}
        <span class=${state}>${state === 'done' ? '✓ ' : ''}${texts.state[state]}</span></p></div></div>`;
}

/** Renders the predicted curve and the measured curve. Values are shares, 0 to 1. */
function curves(predicted: readonly number[], result: readonly (number | null)[]) {
  return html`<svg class="curves" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${lessonStrings.compared}>
    ${svg`<polyline class="predicted" points=${pointsOf(predicted)} /><polyline class="came" points=${pointsOf(result)} />`}</svg>`;
}

function pointsOf(values: readonly (number | null)[]): string {
  const last = Math.max(1, values.length - 1);
  const points = values.flatMap((value, index) =>
    value === null ? [] : [`${((WIDTH * index) / last).toFixed(1)},${(2 + (HEIGHT - 4) * (1 - value)).toFixed(1)}`],
  );
  return points.join(' ');
}
