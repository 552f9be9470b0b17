import { LESSONS } from 'virtual:lessons';
import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { LEVELS, type Lesson, type Level } from '../../lessons/lesson.ts';
import { writePlace } from '../address/place.ts';
import { PlaceAddressEvent } from '../address/placeAddressEvent.ts';
import { base } from '../look/styles.ts';
import '../shell/themeSwitch.ts';
import { assessmentStrings } from '../strings/assessmentStrings.ts';
import { lessonStrings } from '../strings/lessonStrings.ts';
import { teacherStrings } from '../strings/teacherStrings.ts';
import { BESIDES, type Beside, QUESTIONS } from './besides.ts';
import { keepLevel, keptLevel } from './lessonMemory.ts';
import './lessonView.ts';
import type { LevelEvent } from './lessonView.ts';
import './resultPanel.ts';
import { TEACH } from './teacher/addresses.ts';

/**
 * The place of the lessons: the list, or the lesson that the address names, at the level that it names.
 * @fires place-address when the reader chose another level (PlaceAddressEvent)
 */
@customElement('tw-lessons')
export class LessonsPlace extends LitElement {
  static override styles = [
    base,
    css`
      main { max-width: 64rem; margin: 0 auto; padding: 1rem clamp(0.75rem, 2vw, 1.5rem) 2.5rem; outline: none; }
      h1 { margin: 0 0 0.25rem; font-size: 1.5rem; letter-spacing: -0.02em; }
      .lead { max-width: 44rem; margin-bottom: 1rem; font-size: 1.0625rem; line-height: 1.5; }
      ol { display: grid; gap: 0.75rem; margin: 0; padding: 0; list-style: none; }
      li { padding: 0.875rem 1rem; border: 1px solid var(--line); border-radius: 10px; background: var(--surface); }
      .lead a { color: var(--accent); }
      li a { font-size: 1.125rem; font-weight: 620; color: var(--accent); }
      li p { max-width: 44rem; margin-top: 0.25rem; line-height: 1.5; }
      footer { display: flex; justify-content: end; max-width: 64rem; margin: 0 auto; padding: 0 clamp(0.75rem, 2vw, 1.5rem) 1.5rem; font-size: 0.8125rem; }
      tw-results { margin: 1.5rem 0; }
      @media print { main { max-width: none; padding: 0; } footer { display: none; } }
      .notice { margin-bottom: 1rem; padding: 0.5rem 0.75rem; border: 1px solid var(--note-line); border-radius: 8px; background: var(--note-ground); }
    `,
  ];

  /** What stands behind `#learn/`: the name of a lesson, and a level. */
  @property({ attribute: false }) path: readonly string[] = [];
  @property({ type: Boolean }) embed = false;
  @state() private lesson: Lesson | undefined;
  @state() private failed = '';
  @state() private level: Level = keptLevel();
  /** Pages beside the lessons whose code is there. */
  @state() private besides: readonly string[] = [];
  private asked = '';

  private get beside(): Beside | undefined {
    const [name = ''] = this.path;
    return Object.hasOwn(BESIDES, name) ? BESIDES[name] : undefined;
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
    if (this.beside && !this.besides.includes(this.path[0] ?? '')) void this.loadBeside();
    document.title = `${this.beside?.title ?? head?.title ?? lessonStrings.title} · Turnwise`;
  }

  protected override render() {
    const texts = lessonStrings;
    const { head, lesson } = this;
    if (this.beside) return html`<main id="main" tabindex="-1">${this.pageBeside(this.beside)}</main>${this.footer()}`;
    if (!head) return html`${this.list()}${this.footer()}`;
    if (this.failed) {
      return html`<main><p role="alert">${texts.notLoaded(this.failed)} <button @click=${this.load}>${texts.again}</button></p></main>`;
    }
    if (lesson?.name !== head.name) return html`<main><p role="status">${texts.loading}</p></main>`;
    const next = LESSONS.find(({ order }) => order > head.order);
    return html`<main id="main" tabindex="-1"><tw-lesson .lesson=${lesson} .level=${this.level} .next=${next} @level=${this.choose}></tw-lesson></main>${this.footer()}`;
  }

  private pageBeside({ view }: Beside) {
    const texts = lessonStrings;
    const [name = '', ...path] = this.path;
    if (this.failed) {
      return html`<p role="alert">${texts.notLoaded(this.failed)} <button @click=${this.loadBeside}>${texts.again}</button></p>`;
    }
    return this.besides.includes(name) ? view(path) : html`<p role="status">${texts.loading}</p>`;
  }

  private loadBeside = async (): Promise<void> => {
    const [name = ''] = this.path;
    this.failed = '';
    try {
      await this.beside?.load();
      this.besides = [...this.besides, name];
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
    return html`<main id="main" tabindex="-1">
      ${name === undefined ? nothing : html`<p class="notice" role="status">${texts.none(name)}</p>`}
      <h1>${texts.title}</h1>
      <p class="lead">${texts.lead}</p>
      <p class="lead"><a href=${writePlace('learn', QUESTIONS)}>${assessmentStrings.title}</a>: ${assessmentStrings.sentence}</p>
      <ol>${LESSONS.map(
        (one) => html`<li><a href=${writePlace('learn', one.name)}>${one.title}</a>
          <p>${one.sentence}</p><p class="caption">${texts.number(one.order, one.minutes)}</p></li>`,
      )}</ol>
      <tw-results></tw-results>
      <p class="lead"><a href=${writePlace('learn', TEACH)}>${teacherStrings.link}</a></p>
    </main>`;
  }

  private load = async (): Promise<void> => {
    const { head } = this;
    if (!head) return;
    this.asked = head.name;
    this.failed = '';
    try {
      const loaded = await head.load();
      if (this.asked === head.name) this.lesson = loaded.default;
    } catch (error) {
      if (this.asked === head.name) this.failed = error instanceof Error ? error.message : String(error);
    }
  };

  private choose = ({ detail }: LevelEvent): void => {
    this.level = detail;
    keepLevel(detail);
    if (this.head) this.dispatchEvent(new PlaceAddressEvent(writePlace('learn', this.head.name, detail)));
  };
}
