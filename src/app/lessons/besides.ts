import { html } from 'lit';
import { assessmentStrings } from '../strings/assessmentStrings.ts';
import { teacherStrings } from '../strings/teacherStrings.ts';
import { TEACH } from './teacher/addresses.ts';

/** A page beside the lessons; its code is loaded when it is first come to. */
export interface Beside {
  readonly title: string;
  readonly load: () => Promise<unknown>;
  /** @param path what stands behind its name in the address */
  readonly view: (path: readonly string[]) => unknown;
}

/** What stands behind `#learn/` where the questions are asked. */
export const QUESTIONS = 'questions';

const TEACHERS: Beside = {
  title: teacherStrings.title,
  load: () => import('./teacher/teacherPlace.ts'),
  view: (path) => html`<tw-teacher .path=${path}></tw-teacher>`,
};

/** Pages by their names after `#learn/`. No lesson has such a name. */
export const BESIDES: Readonly<Record<string, Beside>> = {
  [QUESTIONS]: {
    title: assessmentStrings.title,
    load: () => import('./assessmentView.ts'),
    view: () => html`<tw-assessment></tw-assessment>`,
  },
  [TEACH]: TEACHERS,
  // A name that people guess.
  teachers: TEACHERS,
};
