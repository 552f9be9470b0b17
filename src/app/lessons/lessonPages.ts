import { html } from 'lit';
import { assessmentStrings } from '../strings/assessmentStrings.ts';
import { teacherStrings } from '../strings/teacherStrings.ts';
import { TEACH } from './teacher/addresses.ts';

/** A page in addition to the lessons; its code is loaded when the user first opens it. */
export interface LessonPage {
  readonly title: string;
  readonly load: () => Promise<unknown>;
  /** @param path parts after its name in the address */
  readonly view: (path: readonly string[]) => unknown;
}

/** Name after `#learn/` of the page with the questions. */
export const QUESTIONS = 'questions';

const TEACHERS: LessonPage = {
  title: teacherStrings.title,
  load: () => import('./teacher/teacherView.ts'),
  view: (path) => html`<tw-teacher .path=${path}></tw-teacher>`,
};

/** Pages by their names after `#learn/`. No lesson has such a name. */
export const LESSON_PAGES: Readonly<Record<string, LessonPage>> = {
  [QUESTIONS]: {
    title: assessmentStrings.title,
    load: () => import('./assessmentView.ts'),
    view: () => html`<tw-assessment></tw-assessment>`,
  },
  [TEACH]: TEACHERS,
  // A name that people guess.
  teachers: TEACHERS,
};
