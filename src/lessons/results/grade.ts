import { mean } from 'd3-array';
import { findRule } from '../../credit/rules.ts';
import { ForestError } from '../../rollouts/forest.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { SIZES } from '../../training/data/controls.ts';
import { type AssessmentQuestion, assessed } from '../course.ts';
import { type Lesson, type LessonRun, lessonRun } from '../lesson.ts';
import { differences } from '../prediction.ts';
import {
  type AssessmentAnswers,
  type Attempt,
  type CourseResult,
  checkedNumber,
  type ExerciseAnswer,
  type ExerciseResult,
  type LessonRecord,
  type RunResult,
} from './courseResult.ts';

/**
 * Grade of a line.
 * - `differs`: the run does not match the lesson.
 * - `unknown`: this version has no such lesson.
 * - `reported`: the line has no right or wrong answer.
 * - `unreadable`: the file is not a result file.
 */
type Grade = 'differs' | 'unknown' | 'right' | 'wrong' | 'reported' | 'unreadable';

/** Grade of one question in a result file. */
export interface GradeLine {
  /** Name of the lesson, or `assessment`. */
  readonly lesson: string;
  /** Number of the attempt, starting at 1. 0 if the question does not belong to an attempt. */
  readonly attempt: number;
  readonly question: string;
  readonly answer: string;
  readonly expected: string;
  readonly grade: Grade;
  /** Description of the differences. Empty if there are no differences. */
  readonly note: string;
}

/** Lessons and questions with which a result file is compared. */
export interface Course {
  readonly lessons: readonly Lesson[];
  readonly assessment: readonly AssessmentQuestion[];
}

/** Checks a result file, question by question, without training. */
export function gradeResult({ lessons, assessment }: Course, result: CourseResult): readonly GradeLine[] {
  const records = result.lessons.flatMap((record) => {
    const lesson = lessons.find(({ name }) => name === record.lesson);
    return lesson ? gradeRecord(lesson, record) : [unknownLesson(record.lesson)];
  });
  return [...gradeAssessment(assessment, result.assessment), ...records];
}

function unknownLesson(lesson: string): GradeLine {
  const note = 'there is no such lesson here';
  return { lesson, attempt: 0, question: '', answer: '', expected: '', grade: 'unknown', note };
}

/** Checks a lesson of a result file, question by question. */
export function gradeRecord(lesson: Lesson, { attempts }: LessonRecord): GradeLine[] {
  return attempts.flatMap((attempt, index) => {
    const results: Omit<GradeLine, 'lesson' | 'attempt'>[] = [
      ...attempt.runs.map((run) => gradeRun(lesson, run)),
      ...missingRuns(lesson, attempt),
      gradePrediction(lesson, attempt),
      ...attempt.exercises.flatMap((exercise) => gradeExercise(lesson, exercise)),
    ];
    return results.map((line) => ({ lesson: lesson.name, attempt: index + 1, ...line }));
  });
}

/** Checks the answers to the assessment before and after the lessons. An open answer is listed without a grade. */
export function gradeAssessment(questions: readonly AssessmentQuestion[], answers: AssessmentAnswers): GradeLine[] {
  return (['before', 'after'] as const).flatMap((time) =>
    answers[time] === undefined ? [] : questions.map((question) => gradeQuestion(question, time, answers[time])),
  );
}

function gradeQuestion(question: AssessmentQuestion, time: string, answers: AssessmentAnswers['before']): GradeLine {
  const { name, choices, right } = question;
  const answer = answers?.[name] ?? '';
  const result = assessed(question, answer);
  const label = (choice: string) => choices.find((option) => option.name === choice)?.label ?? choice;
  return {
    ...{
      lesson: 'assessment',
      attempt: 0,
      question: `${name}, ${time}`,
      answer: label(answer),
      expected: label(right),
    },
    grade: result === 'open' || result === 'none' ? 'reported' : result,
    note: result === 'none' ? 'not answered' : result === 'open' ? 'an open answer: to be read' : '',
  };
}

type GradeResult = Omit<GradeLine, 'lesson' | 'attempt'>;

/** Compares the settings of a run in a file with the lesson. */
function gradeRun(lesson: Lesson, run: RunResult): GradeResult {
  const question = `run ${run.name}, seed ${run.configuration.seed}`;
  const note = differsFromLesson(lesson, run).join('; ');
  return { question, answer: run.digest, expected: '', grade: note === '' ? 'reported' : 'differs', note };
}

/** Returns the differences between a run of a file and the lesson's run with the same name. */
function differsFromLesson(lesson: Lesson, { name, steps, configuration, curves }: RunResult): readonly string[] {
  const expectedRun = lesson.runs.find((run) => run.name === name);
  if (!expectedRun) return [`the lesson has no run ${name}`];
  const missing = lesson.lines.filter((line) => !(line in curves));
  return [
    ...(steps === expectedRun.steps ? [] : [`${steps} updates, the lesson has ${expectedRun.steps}`]),
    ...(missing.length === 0 ? [] : [`no curve of ${missing.join(', ')}`]),
    ...configurationDifferences(expectedRun, configuration),
  ];
}

/** Returns the differences between a configuration and the lesson's run. Any seed and any batch size is allowed. */
function configurationDifferences(
  run: LessonRun,
  { environment, settings, controls, schedule }: RunConfiguration,
): readonly string[] {
  const lesson = lessonRun(run);
  if (environment !== lesson.environment) return [`environment ${environment}, the lesson has ${lesson.environment}`];
  const listDifferences = (actual: RunConfiguration['controls'], expected: RunConfiguration['controls']) =>
    Object.entries(expected).flatMap(([name, value]) =>
      actual[name] === value || SIZES.includes(name) ? [] : [`${name} ${actual[name]}, the lesson has ${value}`],
    );
  const planned = JSON.stringify(schedule) === JSON.stringify(lesson.schedule);
  return [
    ...listDifferences(settings, lesson.settings),
    ...listDifferences(controls, lesson.controls),
    ...(planned ? [] : ['the planned changes differ from the lesson’s']),
  ];
}

function missingRuns(lesson: Lesson, { runs }: Attempt): GradeResult[] {
  return lesson.runs
    .filter(({ name }) => runs.every((run) => run.name !== name))
    .map(({ name }) => ({
      ...{ question: `run ${name}`, answer: '', expected: '' },
      ...{ grade: 'differs', note: 'the file has no such run' },
    }));
}

/** Computes the mean distance of a prediction from the measured values. The distance does not lower the grade. */
function gradePrediction({ predict }: Lesson, { prediction, runs }: Attempt): GradeResult {
  const run = runs.find(({ name }) => name === predict.run);
  const curve = run?.curves[predict.line] ?? [];
  const actual = curve.findLast((value) => value !== null);
  const apart = differences(prediction, curve, run?.steps ?? 1);
  return {
    question: `prediction of ${predict.line}`,
    answer: `${(prediction.at(-1) ?? 0).toFixed(2)} at the end`,
    expected: actual === undefined || actual === null ? '' : `${actual.toFixed(2)} measured`,
    grade: 'reported',
    note: apart.length === 0 ? 'no measured values' : `mean distance ${(mean(apart) ?? 0).toFixed(2)}`,
  };
}

function gradeExercise(lesson: Lesson, exercise: ExerciseResult): readonly GradeResult[] {
  const advantages = advantagesOf(lesson, exercise);
  const numbered = (result: GradeResult): GradeResult =>
    lesson.exercises.length > 1 ? { ...result, question: `${exercise.number}. ${result.question}` } : result;
  return exercise.answers.map((answer) => {
    const expected = answer.turn === undefined ? undefined : advantages?.[answer.turn];
    return numbered(expected === undefined ? asChecked(answer) : gradeAnswer(answer, expected));
  });
}

function gradeAnswer(answer: ExerciseAnswer, expected: number): GradeResult {
  const check = checkedNumber(answer.text, expected);
  const difference = check === answer.check ? '' : `; the file says ${answer.check}`;
  const grade = check === 'right' || check === 'near' ? 'right' : 'wrong';
  const { question, text } = answer;
  return {
    question,
    answer: text,
    expected: expected.toFixed(2),
    grade,
    note: `${formatAttempts(answer)}${difference}`,
  };
}

/**
 * Returns the advantages of the group in the file for an exercise about advantages. Returns undefined for other
 * exercises, or if the rule cannot read the group.
 */
function advantagesOf({ exercises }: Lesson, { number, kind, group }: ExerciseResult): ArrayLike<number> | undefined {
  const lessonExercise = exercises[number - 1];
  if (kind !== 'advantages' || lessonExercise?.kind !== kind || !group) return undefined;
  try {
    return findRule(lessonExercise.rule).credit(group, lessonExercise.parameters).advantage;
  } catch (error) {
    if (error instanceof ForestError) return undefined;
    throw error;
  }
}

/** Reports an answer with the result of the page's check, because this program cannot check it. */
function asChecked(answer: ExerciseAnswer): GradeResult {
  const right = answer.check === 'right' || answer.check === 'near';
  const note = `as the page checked it; ${formatAttempts(answer)}`;
  return { question: answer.question, answer: answer.text, expected: '', grade: right ? 'right' : 'wrong', note };
}

function formatAttempts({ tries: count }: ExerciseAnswer): string {
  return count === 1 ? 'first try' : `${count} tries`;
}
