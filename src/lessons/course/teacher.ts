import type { Level } from '../lesson.ts';

/** Step of a talk about a lesson. */
export interface TalkStep {
  readonly title: string;
  readonly minutes: number;
  /** Displayed level of the lesson's text. */
  readonly level: Level;
  /** Text to say and questions to ask, HTML. */
  readonly text: string;
}

/** Notes for teachers about a lesson. The texts are HTML. */
export interface LessonNotes {
  /** Name of the lesson. */
  readonly lesson: string;
  readonly goals: string;
  readonly talk: readonly TalkStep[];
  readonly misunderstandings: string;
  readonly worksheet: string;
  readonly key: string;
  /** Training time of the lesson [s]. undefined if it was not measured. */
  readonly seconds: number | undefined;
}

/** Notes for teachers about the course. The texts are HTML. */
export interface CourseNotes {
  readonly about: string;
  /** Plans for sessions of different lengths [min]. */
  readonly plans: readonly { readonly minutes: number; readonly text: string }[];
  /** Notes of the lessons in the order of the course, without lessons that have no notes. */
  readonly lessons: readonly LessonNotes[];
}
