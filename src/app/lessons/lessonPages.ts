import { html } from 'lit';
import { assessmentStrings } from '../strings/assessmentStrings.ts';
import { teacherStrings } from '../strings/teacherStrings.ts';
import { TEACH } from './teacher/addresses.ts';

/** Page next to the lessons. Its code is loaded when the user first opens it. */
export interface LessonPage {
  readonly title: string;
  readonly load: () => Promise<unknown>;
  /** @param path parts of the address after the name of the page */
  readonly view: (path: readonly string[]) => unknown;
}

/** Name of the assessment page in the address, after `#learn/`. */
export const QUESTIONS = 'questions';

const TEACHERS: LessonPage = {
  title: teacherStrings.title,
  load: () => import('./teacher/teacherView.ts'),
  view: (path) => html`<tw-teacher .path=${path}></tw-teacher>`,
};

/** Pages by their names in the address, after `#learn/`. No lesson has one of these names. */
export const LESSON_PAGES: Readonly<Record<string, LessonPage>> = {
  [QUESTIONS]: {
    title: assessmentStrings.title,
    load: () => import('./assessmentView.ts'),
    view: () => html`<tw-assessment></tw-assessment>`,
  },
  [TEACH]: TEACHERS,
  // Alias, because users may enter the plural in the address.
  teachers: TEACHERS,
};
