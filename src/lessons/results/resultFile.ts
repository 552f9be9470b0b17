import { type Fields, isObject, show } from '../../metrics/metricTable.ts';
import { ForestError } from '../../rollouts/forest.ts';
import { checkGroup } from '../../rollouts/jsonLines.ts';
import { StorageError } from '../../storage/runStore.ts';
import { readConfiguration } from '../../storage/savedRun.ts';
import {
  type AnswerCheck,
  type AssessmentAnswers,
  type Attempt,
  CHECKS,
  type CourseResult,
  digestOf,
  type ExerciseAnswer,
  type ExerciseResult,
  type LessonRecord,
  MAX_SAVED_ATTEMPTS,
  type RunResult,
} from './courseResult.ts';

/** Error in a file that is damaged or not a result file. The message has the field. */
export class ResultError extends Error {
  override readonly name = 'ResultError';
}

/** Format of a file with the results of a user in the lessons: JSON that people can read (docs/use/files.md). */
const FORMAT = 'turnwise-lessons-result';
const FORMAT_VERSION = 1;

/** Maximum length of a file [characters]. Ten lessons with all their attempts need a fifth of it. */
const MAX_CHARACTERS = 20_000_000;

/** Maximum length of a text that a user wrote [characters]. */
const MAX_TEXT = 4000;

/** Maximum sizes in a result file, above those of all lessons. They limit the work for a manipulated file. */
const MAXIMUM = {
  lessons: 99,
  questions: 99,
  steps: 1000,
  runs: 4,
  points: 101,
  exercises: 20,
  answers: 50,
  tries: 1e6,
  turns: 1e6,
};

/** Writes a result as the text of a file. */
export function writeResultFile({ name, lessons, assessment }: CourseResult): string {
  return `${JSON.stringify({ format: FORMAT, formatVersion: FORMAT_VERSION, name, assessment, lessons })}\n`;
}

/**
 * Reads the text of a result file.
 * @throws {ResultError} with the field and the error
 */
export function readResultFile(content: string): CourseResult {
  if (content.length > MAX_CHARACTERS) throw new ResultError(`it is longer than ${MAX_CHARACTERS} characters`);
  const file = parsed(content);
  if (!isObject(file) || file.format !== FORMAT) throw new ResultError('it is no result file of the lessons');
  const { formatVersion } = file;
  if (formatVersion !== FORMAT_VERSION) {
    throw new ResultError(`its format version is ${JSON.stringify(formatVersion)}; ${FORMAT_VERSION} is read here`);
  }
  return readCourse(file, '');
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content.replace(/^\uFEFF/, ''));
  } catch {
    throw new ResultError('it is not JSON, or it was cut off');
  }
}

/**
 * Reads a value of a result file.
 * @param position position of the value in its file, for messages
 * @throws {ResultError} with the position and the error
 */
type Read<Value> = (value: unknown, position: string) => Value;

/** Returns a reader of values that meet a condition. */
function checked<Value>(isValid: (value: unknown) => boolean, expected: string): Read<Value> {
  return (value, position) => {
    if (isValid(value)) return value as Value;
    throw new ResultError(`${position} is ${show(value)}, ${expected}`);
  };
}

const anyObject = checked<Fields>(isObject, 'not an object');
const share = checked<number>(
  (value) => typeof value === 'number' && value >= 0 && value <= 1,
  'not a number from 0 to 1',
);

function integer(least: number, maximum: number): Read<number> {
  const isValid = (value: unknown) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= maximum;
  return checked(isValid, `not a whole number from ${least} to ${maximum}`);
}

function text(value: unknown, position: string): string {
  if (typeof value !== 'string') throw new ResultError(`${position} is ${show(value)}, not a text`);
  if (value.length <= MAX_TEXT) return value;
  throw new ResultError(`${position} has ${value.length} characters; ${MAX_TEXT} are the most`);
}

/** Returns a reader of an object. An optional field that is undefined is left out. */
function object<Value>(fields: { readonly [Name in keyof Value]-?: Read<Value[Name]> }): Read<Value> {
  return (value, position) => {
    const given = anyObject(value, position);
    const entries = Object.entries<Read<unknown>>(fields).map(
      ([name, read]) => [name, read(given[name], position === '' ? name : `${position}.${name}`)] as const,
    );
    return Object.fromEntries(entries.filter(([, field]) => field !== undefined)) as Value;
  };
}

/** Returns a reader of an optional field. */
function optional<Value>(read: Read<Value>): Read<Value> {
  return (value, position) => (value === undefined ? (undefined as Value) : read(value, position));
}

/**
 * Returns a reader of a list of limited length.
 * @param nameOf returns a name that no two entries may share
 */
function list<Entry>(maximum: number, read: Read<Entry>, nameOf?: (entry: Entry) => string): Read<readonly Entry[]> {
  return (value, position) => {
    if (!Array.isArray(value)) throw new ResultError(`${position} is ${show(value)}, not a list`);
    if (value.length > maximum) {
      throw new ResultError(`${position} has ${value.length} entries; ${maximum} are the most`);
    }
    const entries = value.map((entry, index) => read(entry, `${position}[${index}]`));
    const names = nameOf ? entries.map(nameOf) : [];
    const repeated = names.find((name, index) => names.indexOf(name) < index);
    if (repeated !== undefined) throw new ResultError(`${position} names ${show(repeated)} twice`);
    return entries;
  };
}

const readAnswer = object<ExerciseAnswer>({
  question: text,
  place: optional(integer(1, MAXIMUM.answers)),
  turn: optional(integer(0, MAXIMUM.turns)),
  text,
  check: checked<AnswerCheck>((value) => CHECKS.some((check) => check === value), `not one of ${CHECKS.join(', ')}`),
  tries: integer(1, MAXIMUM.tries),
});

const readExercise = object<ExerciseResult>({
  number: integer(1, MAXIMUM.exercises),
  kind: text,
  rule: optional(text),
  step: optional(integer(0, MAXIMUM.steps)),
  group: optional((value, position) => {
    try {
      return checkGroup(value);
    } catch (error) {
      if (error instanceof ForestError) throw new ResultError(`${position}: ${error.message}`);
      throw error;
    }
  }),
  answers: list(MAXIMUM.answers, readAnswer, ({ question }) => question),
});

const readRunFields = object<RunResult>({
  name: text,
  configuration: (value, position) => {
    try {
      return readConfiguration(value);
    } catch (error) {
      // The message begins with the name of the field.
      if (error instanceof StorageError) throw new ResultError(position.replace(/configuration$/, () => error.message));
      throw error;
    }
  },
  steps: integer(1, MAXIMUM.steps),
  device: text,
  curves: (value, position) => {
    const isMeasured = (entry: unknown) => entry === null || Number.isFinite(entry);
    const readCurve = list(MAXIMUM.steps, checked<number | null>(isMeasured, 'neither a number nor null'));
    const curves = Object.entries(anyObject(value, position));
    return Object.fromEntries(
      curves.map(([line, values]) => [line, readCurve(values, `${position}[${JSON.stringify(line)}]`)]),
    );
  },
  digest: text,
});

function readRun(value: unknown, position: string): RunResult {
  const run = readRunFields(value, position);
  for (const [line, { length }] of Object.entries(run.curves)) {
    if (length === run.steps) continue;
    const at = `${position}.curves[${JSON.stringify(line)}]`;
    throw new ResultError(`${at} has ${length} values for ${run.steps} updates`);
  }
  const expected = digestOf(run.curves);
  if (run.digest === expected) return run;
  throw new ResultError(`${position}: its curves were changed; their digest is ${expected}`);
}

const readAttempt = object<Attempt>({
  prediction: (value, position) => {
    const points = list(MAXIMUM.points, share)(value, position);
    if (points.length > 1) return points;
    throw new ResultError(`${position} has ${points.length} points; 2 are the least`);
  },
  runs: list(MAXIMUM.runs, readRun, ({ name }) => name),
  exercises: list(MAXIMUM.exercises, readExercise),
});

/**
 * Reads the results of a lesson.
 * @param position position of the value in its file, for messages
 * @throws {ResultError} with the field and the error
 */
export const readRecord: Read<LessonRecord> = object<LessonRecord>({
  lesson: text,
  attempts: (value, position) => {
    const attempts = list(MAX_SAVED_ATTEMPTS, readAttempt)(value, position);
    if (attempts.length > 0) return attempts;
    throw new ResultError(`${position} is empty`);
  },
});

function readAnswers(value: unknown, position: string): Readonly<Record<string, string>> {
  const answers = Object.entries(anyObject(value, position));
  if (answers.length > MAXIMUM.questions) throw new ResultError(`${position} has ${answers.length} answers`);
  return Object.fromEntries(answers.map(([question, answer]) => [question, text(answer, `${position}.${question}`)]));
}

/**
 * Reads answers to the assessment.
 * @throws {ResultError} with the field and the error
 */
export const readAssessment: Read<AssessmentAnswers> = object<AssessmentAnswers>({
  before: optional(readAnswers),
  after: optional(readAnswers),
  compared: (value, position) => {
    if (value === undefined || value === true) return value as true;
    throw new ResultError(`${position} can only be true`);
  },
});

const readCourse = object<CourseResult>({
  name: text,
  lessons: list(MAXIMUM.lessons, readRecord, ({ lesson }) => lesson),
  assessment: readAssessment,
});
