import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Metrics } from '../../metrics/metricTable.ts';
import type { Group } from '../../rollouts/forest.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { valueIn } from '../expectations.ts';

/** Results of a user in the lessons. The browser stores them until the user saves a result file. */
export interface CourseResult {
  /** Name that the user entered. Empty if the user entered no name. */
  readonly name: string;
  /** Lessons that the user finished, each once. */
  readonly lessons: readonly LessonRecord[];
  readonly assessment: AssessmentAnswers;
}

/** Answers to the assessment, by the name of the question. An answer is the name of a choice, or a text. */
export interface AssessmentAnswers {
  readonly before?: Readonly<Record<string, string>>;
  readonly after?: Readonly<Record<string, string>>;
  /** True if the right answers were displayed. The answers cannot change afterwards. */
  readonly compared?: boolean;
}

/** Results of a user in one lesson. */
export interface LessonRecord {
  /** Name of the lesson. */
  readonly lesson: string;
  /** First finished experiment, and the last ones. */
  readonly attempts: readonly Attempt[];
}

/** Maximum number of saved attempts per lesson: the first attempt, and the last ones. */
export const MAX_SAVED_ATTEMPTS = 4;

/** Attempt at the experiment of a lesson: the prediction, the runs and the answered exercises. */
export interface Attempt {
  /** Predicted shares [points] at evenly spaced steps, from 0 to the last step. */
  readonly prediction: readonly number[];
  /** Results of the runs, in the order of the lesson. */
  readonly runs: readonly RunResult[];
  /** Answered exercises, in the order of the lesson. */
  readonly exercises: readonly ExerciseResult[];
}

/** Result of a run in a result file. */
export interface RunResult {
  /** Name of the lesson's run. */
  readonly name: string;
  /** Configuration of the run: seed, settings, controls and schedule. */
  readonly configuration: RunConfiguration;
  /** Number of updates. */
  readonly steps: number;
  /** Device that computed the run, by its name in the browser or the terminal. */
  readonly device: string;
  /** Values of each line of the lesson [steps]. null if a line was not measured. */
  readonly curves: Curves;
  /** Digest of the curves (`digestOf`). */
  readonly digest: string;
}

export type Curves = Readonly<Record<string, readonly (number | null)[]>>;

/** Results of the check of an answer on the page. */
export const CHECKS = ['right', 'near', 'wrong', 'empty', 'unselected'] as const;
export type AnswerCheck = (typeof CHECKS)[number];

/** Answers to an exercise. The user may have answered a part of its questions. */
export interface ExerciseResult {
  /** Number of the exercise in the lesson, starting at 1. */
  readonly number: number;
  /** Kind of the exercise, for example `advantages`. */
  readonly kind: string;
  /** Credit rule of the exercise. Absent if the exercise has no rule. */
  readonly rule?: string;
  /** Update of the exercise's group, and the group. Absent if the exercise has no group. */
  readonly step?: number;
  readonly group?: Group;
  readonly answers: readonly ExerciseAnswer[];
}

export interface ExerciseAnswer {
  /** Question as the page displays it: "Advantage of attempt 3, turn 1". */
  readonly question: string;
  /** Number of the question in the exercise, starting at 1. */
  readonly place?: number;
  /** Turn of the group that the question is about. */
  readonly turn?: number;
  /** Text of the last answer. */
  readonly text: string;
  readonly check: AnswerCheck;
  /** Number of answers, including the last answer. */
  readonly tries: number;
}

/** Returns the record with one more attempt. The first attempt and the last ones remain. */
export function withAttempt({ lesson, attempts }: LessonRecord, attempt: Attempt): LessonRecord {
  const [first, ...rest] = [...attempts, attempt];
  return { lesson, attempts: first ? [first, ...rest.slice(1 - MAX_SAVED_ATTEMPTS)] : [attempt] };
}

/**
 * Returns the record with answers to an exercise of its last attempt, which replace earlier answers. Returns the record
 * unchanged if it has no attempt.
 */
export function withExercise({ lesson, attempts }: LessonRecord, exercise: ExerciseResult): LessonRecord {
  const last = attempts.at(-1);
  if (!last) return { lesson, attempts };
  const rest = last.exercises.filter(({ number }) => number !== exercise.number);
  const exercises = [...rest, exercise].sort((a, b) => a.number - b.number);
  return { lesson, attempts: [...attempts.slice(0, -1), { ...last, exercises }] };
}

/**
 * Parses a number that a user typed. A comma is read as a decimal point, and all minus signs are accepted. Returns NaN
 * for other texts.
 */
export function parseNumber(text: string): number {
  const plain = text.trim().replaceAll('−', '-').replaceAll('–', '-').replace(',', '.').replace(/^\+/, '');
  return /^-?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : Number.NaN;
}

/** Maximum deviation of a right answer, for rounding in intermediate steps. */
const EXACT = 0.006;
const NEAR = 0.06;

/** Compares an answer with a number. */
export function checkedNumber(text: string, expected: number): AnswerCheck {
  const value = parseNumber(text);
  if (Number.isNaN(value)) return 'empty';
  const apart = Math.abs(value - expected);
  if (apart <= EXACT) return 'right';
  return apart <= NEAR ? 'near' : 'wrong';
}

/** Length of a digest [characters], long enough that two different curves in a class do not share one by chance. */
const LENGTH = 16;

/** Returns the values of lines in the first updates of a run, [steps] each. A value is null if it was not measured. */
export function curvesOf(metrics: readonly Metrics[], lines: readonly string[], steps: number): Curves {
  const rows = metrics.filter(({ step }) => step < steps);
  const curve = (line: string) => {
    const values: (number | null)[] = Array(steps).fill(null);
    for (const row of rows) {
      const value = valueIn(row, line);
      values[row.step] = Number.isFinite(value) ? value : null;
    }
    return values;
  };
  return Object.fromEntries(lines.map((line) => [line, curve(line)]));
}

/** Computes the digest of curves. It depends on the bits of all numbers, and not on the order of the lines. */
export function digestOf(curves: Curves): string {
  const sorted = Object.entries(curves).sort(([a], [b]) => (a < b ? -1 : 1));
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(sorted)))).slice(0, LENGTH);
}
