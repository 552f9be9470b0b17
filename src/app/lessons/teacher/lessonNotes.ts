import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { LessonNotes as Notes, TalkStep } from '../../../lessons/course/teacher.ts';
import type { LessonHead } from '../../../lessons/lesson.ts';
import { writeViewAddress } from '../../address/viewAddress.ts';
import { base } from '../../look/styles.ts';
import { lessonStrings } from '../../strings/lessonStrings.ts';
import { teacherStrings } from '../../strings/teacherStrings.ts';
import { pageStyles } from '../lessonStyles.ts';
import '../lessonProse.ts';
import { sheetAddress, TEACH } from './addresses.ts';
import { trainingTime } from './waiting.ts';

/**
 * Notes on a lesson for teachers: goals, a talk with a link for each slide, common misunderstandings, and links to the
 * printable sheets.
 */
@customElement('tw-lesson-notes')
export class LessonNotes extends LitElement {
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
  @property({ attribute: false }) notes!: Notes;

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
