import type { Level } from '../lesson.ts';

/** A step of a talk through a lesson. */
export interface TalkStep {
  readonly title: string;
  readonly minutes: number;
  /** The reading level that is shown. */
  readonly level: Level;
  /** Text to say and questions to ask, HTML. */
  readonly text: string;
}

/** Notes that a teacher needs for a lesson; texts are HTML. */
export interface LessonNotes {
  /** Name of the lesson. */
  readonly lesson: string;
  readonly goals: string;
  readonly talk: readonly TalkStep[];
  readonly misunderstandings: string;
  readonly worksheet: string;
  readonly key: string;
  /** Training time of the lesson; undefined if it was not measured. */
  readonly seconds: number | undefined;
}

/** Notes that a teacher needs for the course; texts are HTML. */
export interface CourseNotes {
  readonly about: string;
  /** Plans for so many minutes. */
  readonly plans: readonly { readonly minutes: number; readonly text: string }[];
  /** In the order of the course; lessons without notes are left out. */
  readonly lessons: readonly LessonNotes[];
}
