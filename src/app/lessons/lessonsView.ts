import { LESSONS } from 'virtual:lessons';
import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { LEVELS, type Lesson, type Level, UNITS, type Unit } from '../../lessons/lesson.ts';
import { ViewAddressEvent, writeViewAddress } from '../address/viewAddress.ts';
import { base } from '../look/styles.ts';
import '../look/themeSwitch.ts';
import { assessmentStrings } from '../strings/assessmentStrings.ts';
import { lessonStrings } from '../strings/lessonStrings.ts';
import { resultStrings } from '../strings/resultStrings.ts';
import { teacherStrings } from '../strings/teacherStrings.ts';
import { cardStyles, lessonCard } from './lessonCard.ts';
import { savedLevel, saveLevel } from './lessonMemory.ts';
import { LESSON_PAGES, type LessonPage, QUESTIONS } from './lessonPages.ts';
import './lessonView.ts';
import type { LevelEvent } from './lessonView.ts';
import { recordOf } from './resultMemory.ts';
import './resultPanel.ts';
import { TEACH } from './teacher/addresses.ts';

/**
 * Lessons page: the list of lessons, or the lesson or other page that the address selects. The address can also select
 * the reading level.
 * @fires place-address when the user selects another level in a lesson (ViewAddressEvent)
 */
@customElement('tw-lessons')
export class LessonsView extends LitElement {
  static override styles = [
    base,
    cardStyles,
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
