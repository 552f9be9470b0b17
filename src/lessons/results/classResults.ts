import type { AssessmentQuestion } from '../course/assessment.ts';
import type { LessonHead } from '../lesson.ts';
import type { Attempt, CourseResult, RunResult } from './courseResult.ts';
import { predictedShare } from './grade.ts';

type LessonName = Pick<LessonHead, 'name' | 'title'>;

/** First predictions of a class in a lesson, and what came. */
export interface ClassLesson {
  readonly lesson: LessonName;
  /** [students][points] at evenly spaced steps. */
  readonly predictions: readonly (readonly number[])[];
  /** [points] the median of the class at each point of the first prediction. */
  readonly middle: readonly number[];
  /** [students][steps] the predicted line as it came. */
  readonly curves: readonly (readonly (number | null)[])[];
  readonly steps: number;
  /** Mean distance of the predictions from the measured values, shares; NaN without measured values. */
  readonly apart: number;
  readonly exercises: readonly AnswerCount[];
}

/** Number of answers of a class to a question of an exercise, with the last answer of each student. */
export interface AnswerCount {
  /** Exercise of the lesson, from 1, and the place of the question in it, from 1. */
  readonly exercise: number;
  readonly question: number;
  readonly right: number;
  readonly near: number;
  readonly wrong: number;
  /** Mean. */
  readonly tries: number;
}

/** Number of times that a class picked each choice, before and after; or the texts that the class wrote. */
export interface ClassQuestion {
  readonly question: AssessmentQuestion;
  readonly picked: readonly { readonly name: string; readonly before: number; readonly after: number }[];
  readonly written: readonly { readonly time: 'before' | 'after'; readonly text: string }[];
}

/**
 * Returns the results of a class in each lesson that at least one student went through.
 * @param lessons in the order of the course
 * @param predicted run and line that a lesson predicts
 */
export function classLessons(
  results: readonly CourseResult[],
  lessons: readonly LessonName[],
  predicted: (lesson: string) => { readonly run: string; readonly line: string } | undefined,
): readonly ClassLesson[] {
  return lessons.flatMap((lesson) => {
    const attempts = results.flatMap(
      (result) => result.lessons.find((lessonResult) => lessonResult.lesson === lesson.name)?.attempts ?? [],
    );
    const firsts = results.flatMap(
      (result) =>
        result.lessons.find((lessonResult) => lessonResult.lesson === lesson.name)?.attempts.slice(0, 1) ?? [],
    );
    const target = predicted(lesson.name);
    return firsts.length === 0 || !target ? [] : [classLesson(lesson, firsts, attempts, target)];
  });
}

function classLesson(
  lesson: LessonName,
  firsts: readonly Attempt[],
  attempts: readonly Attempt[],
  { run: name, line }: { readonly run: string; readonly line: string },
): ClassLesson {
  const runOf = ({ runs }: Attempt): RunResult | undefined => runs.find((run) => run.name === name);
  const predictions = firsts.map(({ prediction }) => prediction);
  const apart = firsts.flatMap((attempt) => {
    const run = runOf(attempt);
    const values = run?.curves[line] ?? [];
    return values.flatMap((value, step) =>
      value === null ? [] : [Math.abs(value - predictedShare(attempt.prediction, step, run?.steps ?? 1))],
    );
  });
  return {
    ...{ lesson, predictions, apart: mean(apart) },
    middle: (predictions[0] ?? []).map((_, point, { length }) =>
      median(predictions.map((prediction) => predictedShare(prediction, point, length - 1))),
    ),
    curves: firsts.map((attempt) => runOf(attempt)?.curves[line] ?? []),
    steps: Math.max(...firsts.map((attempt) => runOf(attempt)?.steps ?? 1)),
    exercises: answerCounts(attempts),
  };
}

function answerCounts(attempts: readonly Attempt[]): readonly AnswerCount[] {
  const all = attempts.flatMap(({ exercises }) =>
    exercises.flatMap(({ number, answers }) =>
      answers.map(({ place, check, tries }, index) => ({
        exercise: number,
        question: place ?? index + 1,
        check,
        tries,
      })),
    ),
  );
  const keys = [...new Set(all.map(({ exercise, question }) => `${exercise} ${question}`))].sort();
  return keys.map((key) => {
    const [exercise = 0, question = 0] = key.split(' ').map(Number);
    const matching = all.filter((entry) => entry.exercise === exercise && entry.question === question);
    const count = (...checks: readonly string[]) => matching.filter(({ check }) => checks.includes(check)).length;
    return {
      ...{ exercise, question, right: count('right'), near: count('near') },
      ...{ wrong: count('wrong', 'empty', 'unselected'), tries: mean(matching.map(({ tries }) => tries)) },
    };
  });
}

/** Returns the answers of a class before the lessons and after them. */
export function classQuestions(
  results: readonly CourseResult[],
  questions: readonly AssessmentQuestion[],
): readonly ClassQuestion[] {
  const answers = (time: 'before' | 'after', name: string) =>
    results.flatMap(({ assessment }) => assessment[time]?.[name]?.trim() || []);
  return questions.map((question) => {
    const { name, choices } = question;
    const count = (time: 'before' | 'after', choice: string) =>
      answers(time, name).filter((entry) => entry === choice).length;
    const picked = choices.map((choice) => ({
      ...{ name: choice.name, before: count('before', choice.name), after: count('after', choice.name) },
    }));
    const written = (['before', 'after'] as const).flatMap((time) =>
      answers(time, name).map((text) => ({ time, text })),
    );
    return { question, picked, written: choices.length === 0 ? written : [] };
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}
