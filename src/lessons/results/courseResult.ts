import type { Group } from '../../rollouts/forest.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';

/** Results of a user in the lessons: the content of a result file, which the browser stores until then. */
export interface CourseResult {
  /** Name that the user gives; empty if the user gives none. */
  readonly name: string;
  /** Lessons that she went through, each once. */
  readonly lessons: readonly LessonRecord[];
  readonly assessment: AssessmentAnswers;
}

/** Answers to the assessment, by the name of the question: the name of a choice, or a text. */
export interface AssessmentAnswers {
  readonly before?: Readonly<Record<string, string>>;
  readonly after?: Readonly<Record<string, string>>;
  /** The right answers were shown: answers do not change after that. */
  readonly compared?: boolean;
}

/** Results of a user in one lesson. */
export interface LessonRecord {
  /** Name of the lesson. */
  readonly lesson: string;
  /** The first experiment that came to its end, and the last ones. */
  readonly attempts: readonly Attempt[];
}

/** Number of attempts that are stored of a lesson: the first, and as many of the last as there is room for. */
export const MAX_SAVED_ATTEMPTS = 4;

/** One experiment: what was predicted, and what came. */
export interface Attempt {
  /** [points] predicted shares at evenly spaced steps from 0 to the last. */
  readonly prediction: readonly number[];
  /** In the order of the lesson's runs. */
  readonly runs: readonly RunResult[];
  /** Those that were answered, in the order of the lesson. */
  readonly exercises: readonly ExerciseResult[];
}

/** A run as a result file keeps it. */
export interface RunResult {
  /** Name of the lesson's run. */
  readonly name: string;
  /** Seed, settings, controls and schedule. */
  readonly configuration: RunConfiguration;
  /** Updates. */
  readonly steps: number;
  /** Device that computed the run, by its name in the browser or the terminal. */
  readonly device: string;
  /** Each line of the lesson, [steps]; null where nothing was measured. */
  readonly curves: Curves;
  /** Digest of the curves (digest.ts). */
  readonly digest: string;
}

export type Curves = Readonly<Record<string, readonly (number | null)[]>>;

/** Results of the check of an answer on the page. */
export const CHECKS = ['right', 'near', 'wrong', 'empty', 'unselected'] as const;
export type AnswerCheck = (typeof CHECKS)[number];

/** An exercise, as far as it was answered. */
export interface ExerciseResult {
  /** Its place in the lesson, from 1; sheets are counted on behind the exercises. */
  readonly number: number;
  /** Of the lesson's exercise (`advantages`) or sheet (`worth`). */
  readonly kind: string;
  /** Credit rule that it is about, where it is about one. */
  readonly rule?: string;
  /** Update whose group the exercise is about, and the group, if the exercise is about one. */
  readonly step?: number;
  readonly group?: Group;
  readonly answers: readonly ExerciseAnswer[];
}

export interface ExerciseAnswer {
  /** Question in the words of the page: "Advantage of try 3, turn 1". */
  readonly question: string;
  /** Its place in the exercise, from 1. */
  readonly place?: number;
  /** Turn of the group that the question is about. */
  readonly turn?: number;
  /** The last answer, as it was written. */
  readonly text: string;
  readonly check: AnswerCheck;
  /** Answers that were given, the last one counted. */
  readonly tries: number;
}

/** The record with one more attempt: the first one stays, and the last ones. */
export function withAttempt({ lesson, attempts }: LessonRecord, attempt: Attempt): LessonRecord {
  const [first, ...rest] = [...attempts, attempt];
  return { lesson, attempts: first ? [first, ...rest.slice(1 - MAX_SAVED_ATTEMPTS)] : [attempt] };
}

/**
 * Returns the record with answers to an exercise of its last attempt, in place of earlier ones. Returns the record
 * unchanged if it has no attempt.
 */
export function withExercise({ lesson, attempts }: LessonRecord, exercise: ExerciseResult): LessonRecord {
  const last = attempts.at(-1);
  if (!last) return { lesson, attempts };
  const rest = last.exercises.filter(({ number }) => number !== exercise.number);
  const exercises = [...rest, exercise].sort((a, b) => a.number - b.number);
  return { lesson, attempts: [...attempts.slice(0, -1), { ...last, exercises }] };
}
