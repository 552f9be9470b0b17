import { findRule } from '../../credit/rules.ts';
import { ForestError } from '../../rollouts/forestError.ts';
import { type AssessmentQuestion, assessed } from '../course/assessment.ts';
import type { Lesson } from '../lesson.ts';
import { checkedNumber } from './checkAnswer.ts';
import { configurationDifferences, curveDifference, TOLERANCE } from './compareRuns.ts';
import type {
  AssessmentAnswers,
  Attempt,
  Curves,
  ExerciseAnswer,
  ExerciseResult,
  LessonRecord,
  RunResult,
} from './courseResult.ts';

/**
 * What grading says of a line. `same`: the run came again, bit for bit. `near`: within the tolerance, on another device.
 * `differs`: it did not come again. `unchecked`: nothing could be held against it.
 * `told`: there is no right or wrong. `unreadable`: the file is no result file.
 */
export type Verdict = 'same' | 'near' | 'differs' | 'unchecked' | 'right' | 'wrong' | 'told' | 'unreadable';

/** One question of a file. */
export interface GradeLine {
  /** Name of the lesson, or `assessment`. */
  readonly lesson: string;
  /** From 1; 0 where there are no attempts. */
  readonly attempt: number;
  readonly question: string;
  readonly answer: string;
  readonly expected: string;
  readonly verdict: Verdict;
  /** What differs, in words; empty for nothing. */
  readonly note: string;
}

/** A run that came again: its curves, and what it was computed on. */
export interface Again {
  readonly curves: Curves;
  /** Name of the device. */
  readonly device: string;
}

/** Why a run could not be trained again, in words. */
export interface Unable {
  readonly problem: string;
}

/** Trains a run of a file again. Returns undefined if the user wants no training. */
export type Rerun = (lesson: Lesson, run: RunResult) => Promise<Again | Unable | undefined>;

/** Checks what was done in a lesson, question by question. */
export async function gradeRecord(lesson: Lesson, { attempts }: LessonRecord, rerun: Rerun): Promise<GradeLine[]> {
  const lines: GradeLine[] = [];
  for (const [index, attempt] of attempts.entries()) {
    const found: Omit<GradeLine, 'lesson' | 'attempt'>[] = [];
    for (const run of attempt.runs) found.push(await gradeRun(lesson, run, rerun));
    found.push(...missingRuns(lesson, attempt), gradePrediction(lesson, attempt));
    for (const exercise of attempt.exercises) found.push(...gradeExercise(lesson, exercise));
    lines.push(...found.map((line) => ({ lesson: lesson.name, attempt: index + 1, ...line })));
  }
  return lines;
}

/** Checks the answers to the assessment, before the lessons and after them; open ones are told with the answer to compare with. */
export function gradeAssessment(questions: readonly AssessmentQuestion[], answers: AssessmentAnswers): GradeLine[] {
  return (['before', 'after'] as const).flatMap((time) =>
    answers[time] === undefined ? [] : questions.map((question) => gradeAsked(question, time, answers[time])),
  );
}

function gradeAsked(question: AssessmentQuestion, time: string, given: AssessmentAnswers['before']): GradeLine {
  const { name, choices, right } = question;
  const answer = given?.[name] ?? '';
  const found = assessed(question, answer);
  const label = (choice: string) => choices.find((one) => one.name === choice)?.label ?? choice;
  return {
    ...{
      lesson: 'assessment',
      attempt: 0,
      question: `${name}, ${time}`,
      answer: label(answer),
      expected: label(right),
    },
    verdict: found === 'open' || found === 'none' ? 'told' : found,
    note: found === 'none' ? 'not answered' : found === 'open' ? 'an open answer: to be read' : '',
  };
}

type Found = Omit<GradeLine, 'lesson' | 'attempt'>;

async function gradeRun(lesson: Lesson, run: RunResult, rerun: Rerun): Promise<Found> {
  const { seed } = run.configuration;
  const answer = run.digest;
  const question = `run ${run.name}, seed ${seed}`;
  const other = differsFromLesson(lesson, run);
  if (other.length > 0) return { question, answer, expected: '', verdict: 'differs', note: other.join('; ') };
  const again = await rerun(lesson, run);
  if (!again) return { question, answer, expected: '', verdict: 'unchecked', note: 'it was not trained again' };
  if ('problem' in again) return { question, answer, expected: '', verdict: 'unchecked', note: again.problem };
  return { question, answer, ...compared(run, again, lesson.lines) };
}

/** What a run of a file has otherwise than the lesson's run of that name; such a run is not trained again. */
export function differsFromLesson(
  lesson: Lesson,
  { name, steps, configuration, curves }: RunResult,
): readonly string[] {
  const own = lesson.runs.find((run) => run.name === name);
  if (!own) return [`the lesson has no run ${name}`];
  const missing = lesson.lines.filter((line) => !(line in curves));
  return [
    ...(steps === own.steps ? [] : [`${steps} updates, the lesson has ${own.steps}`]),
    ...(missing.length === 0 ? [] : [`no curve of ${missing.join(', ')}`]),
    ...configurationDifferences(own, configuration),
  ];
}

function compared(run: RunResult, { curves, device }: Again, lines: readonly string[]) {
  const difference = curveDifference(run.curves, curves, lines);
  if (!difference) return { expected: run.digest, verdict: 'same' as const, note: '' };
  const { line, step, own, again, apart } = difference;
  const note = `${line} at update ${step} is ${own}, and ${again} on ${device}; ${apart.toFixed(3)} apart on average`;
  const near = device !== run.device && apart <= TOLERANCE;
  return { expected: '', verdict: near ? ('near' as const) : ('differs' as const), note };
}

function missingRuns(lesson: Lesson, { runs }: Attempt): Found[] {
  return lesson.runs
    .filter(({ name }) => runs.every((run) => run.name !== name))
    .map(({ name }) => ({
      ...{ question: `run ${name}`, answer: '', expected: '' },
      ...{ verdict: 'differs', note: 'the file has no such run' },
    }));
}

/** How far a prediction is from what came, at the end and on average; nobody is marked down for it. */
function gradePrediction({ predict }: Lesson, { prediction, runs }: Attempt): Found {
  const run = runs.find(({ name }) => name === predict.run);
  const curve = run?.curves[predict.line] ?? [];
  const came = curve.findLast((value) => value !== null);
  const drawn = (step: number) => predictedShare(prediction, step, run?.steps ?? 1);
  const apart = curve.flatMap((value, step) => (value === null ? [] : [Math.abs(value - drawn(step))]));
  const mean = apart.reduce((sum, one) => sum + one, 0) / Math.max(1, apart.length);
  return {
    question: `prediction of ${predict.line}`,
    answer: `${(prediction.at(-1) ?? 0).toFixed(2)} at the end`,
    expected: came === undefined || came === null ? '' : `${came.toFixed(2)} came`,
    verdict: 'told',
    note: apart.length === 0 ? 'nothing came' : `${mean.toFixed(2)} apart on average`,
  };
}

/** A predicted share at a step, straight between its evenly spaced points. */
export function predictedShare(prediction: readonly number[], step: number, steps: number): number {
  const at = (Math.min(step, steps) / steps) * (prediction.length - 1);
  const [before, after] = [prediction[Math.floor(at)] ?? 0, prediction[Math.ceil(at)] ?? 0];
  return before + (at - Math.floor(at)) * (after - before);
}

function gradeExercise(lesson: Lesson, exercise: ExerciseResult): readonly Found[] {
  const advantages = advantagesOf(lesson, exercise);
  const numbered = (found: Found): Found =>
    lesson.exercises.length + lesson.sheets.length > 1
      ? { ...found, question: `${exercise.number}. ${found.question}` }
      : found;
  return exercise.answers.map((answer) => {
    const expected = answer.turn === undefined ? undefined : advantages?.[answer.turn];
    return numbered(expected === undefined ? asChecked(answer) : gradeAnswer(answer, expected));
  });
}

function gradeAnswer(answer: ExerciseAnswer, expected: number): Found {
  const check = checkedNumber(answer.text, expected);
  const other = check === answer.check ? '' : `; the file says ${answer.check}`;
  const verdict = check === 'right' || check === 'near' ? 'right' : 'wrong';
  const { question, text } = answer;
  return { question, answer: text, expected: expected.toFixed(2), verdict, note: `${tries(answer)}${other}` };
}

/** The advantages of the file's group, where these are what is asked; undefined where they are not, or the rule cannot read it. */
function advantagesOf({ exercises }: Lesson, { number, kind, group }: ExerciseResult): ArrayLike<number> | undefined {
  const own = exercises[number - 1];
  if (kind !== 'advantages' || own?.kind !== kind || !group) return undefined;
  try {
    return findRule(own.rule).credit(group, own.parameters).advantage;
  } catch (error) {
    if (error instanceof ForestError) return undefined;
    throw error;
  }
}

/** An answer that only the page could check. */
function asChecked(answer: ExerciseAnswer): Found {
  const right = answer.check === 'right' || answer.check === 'near';
  const note = `as the page checked it; ${tries(answer)}`;
  return { question: answer.question, answer: answer.text, expected: '', verdict: right ? 'right' : 'wrong', note };
}

function tries({ tries: count }: ExerciseAnswer): string {
  return count === 1 ? 'first try' : `${count} tries`;
}
