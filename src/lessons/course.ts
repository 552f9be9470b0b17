import type { Level } from './lesson.ts';

/** Question that the user answers before and after the lessons. */
export interface AssessmentQuestion {
  readonly name: string;
  /** Name of the lesson that the question is about. */
  readonly lesson: string;
  /** Question as HTML. */
  readonly question: string;
  /** Allowed answers. Empty for an open question. */
  readonly choices: readonly AssessmentChoice[];
  /** Name of the right choice. Empty for an open question. */
  readonly right: string;
  /** Explanation of the right choice, or a model answer to an open question, as HTML. */
  readonly why: string;
}

export interface AssessmentChoice {
  readonly name: string;
  /** Plain text without markup. */
  readonly label: string;
}

/** Result of the check of an answer. `open`: an open question, which is not checked. `none`: no answer. */
export type AnswerResult = 'right' | 'wrong' | 'open' | 'none';

/** Compares an answer with its question. The answer is the name of a choice, or a text. */
export function assessed({ choices, right }: AssessmentQuestion, answer: string | undefined): AnswerResult {
  if (answer === undefined || answer.trim() === '') return 'none';
  if (choices.length === 0) return 'open';
  return answer === right ? 'right' : 'wrong';
}

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
