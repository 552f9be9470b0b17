import { mean, median } from 'd3-array';
import type { AssessmentQuestion } from '../course.ts';
import type { LessonHead } from '../lesson.ts';
import { differences, predictedAt } from '../prediction.ts';
import type { Attempt, CourseResult, RunResult } from './courseResult.ts';

type LessonName = Pick<LessonHead, 'name' | 'title'>;

/** First predictions of a class in a lesson, and the measured curves. */
export interface ClassLesson {
  readonly lesson: LessonName;
  /** Predicted shares [students][points] at evenly spaced steps. */
  readonly predictions: readonly (readonly number[])[];
  /** Median prediction of the class [points], at the points of the first prediction. */
  readonly middle: readonly number[];
  /** Measured values of the predicted line [students][steps]. */
  readonly curves: readonly (readonly (number | null)[])[];
  readonly steps: number;
  /** Mean absolute difference between predictions and measured values, 0 to 1. NaN without measured values. */
  readonly apart: number;
  readonly exercises: readonly AnswerCount[];
}

/** Counts of the answers of a class to one question of an exercise. The last answer of each student counts. */
export interface AnswerCount {
  /** Number of the exercise in the lesson, and of the question in the exercise, both starting at 1. */
  readonly exercise: number;
  readonly question: number;
  readonly right: number;
  readonly near: number;
  readonly wrong: number;
  /** Mean number of attempts per answer. */
  readonly tries: number;
}

/** Counts of the selected choices of a class before and after the lessons, or the texts that the class wrote. */
export interface ClassQuestion {
  readonly question: AssessmentQuestion;
  readonly picked: readonly { readonly name: string; readonly before: number; readonly after: number }[];
  readonly written: readonly { readonly time: 'before' | 'after'; readonly text: string }[];
}

/**
 * Returns the results of a class in each lesson that at least one student finished.
 * @param lessons lessons in the order of the course
 * @param predicted returns the predicted run and line of a lesson
 */
export function classLessons(
  results: readonly CourseResult[],
  lessons: readonly LessonName[],
  predicted: (lesson: string) => { readonly run: string; readonly line: string } | undefined,
): readonly ClassLesson[] {
  return lessons.flatMap((lesson) => {
    const attempts = results.map(
      (result) => result.lessons.find((record) => record.lesson === lesson.name)?.attempts ?? [],
    );
    const firsts = attempts.flatMap((all) => all.slice(0, 1));
    const target = predicted(lesson.name);
    return firsts.length === 0 || !target ? [] : [classLesson(lesson, firsts, attempts.flat(), target)];
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
    return differences(attempt.prediction, values, run?.steps ?? 1);
  });
  return {
    ...{ lesson, predictions, apart: mean(apart) ?? Number.NaN },
    middle: (predictions[0] ?? []).map(
      (_, point, { length }) =>
        median(predictions, (prediction) => predictedAt(prediction, point, length - 1)) ?? Number.NaN,
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
      ...{ wrong: count('wrong', 'empty', 'unselected'), tries: mean(matching, ({ tries }) => tries) ?? Number.NaN },
    };
  });
}

/** Returns the answers of a class to the assessment, before and after the lessons. */
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
