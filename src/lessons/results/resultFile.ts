import { isObject } from '../../metrics/readMetrics.ts';
import type { AssessmentAnswers, CourseResult } from './courseResult.ts';
import { readRecord } from './readRecord.ts';
import { ResultError } from './resultError.ts';
import { checkOnce, listAt, objectAt, textAt } from './resultFields.ts';

/** Format of a file with the results of a user in the lessons: JSON that people can read (docs/use/files.md). */
const FORMAT = 'turnwise-lessons-result';
const FORMAT_VERSION = 1;

/** Maximum length of a file [characters]. Ten lessons with all their attempts need a fifth of it. */
const MAX_CHARACTERS = 20_000_000;
const MAX_LESSONS = 99;
const MAX_QUESTIONS = 99;

/** Writes a result as the text of a file. */
export function writeResultFile({ name, lessons, assessment }: CourseResult): string {
  return `${JSON.stringify({ format: FORMAT, formatVersion: FORMAT_VERSION, name, assessment, lessons })}\n`;
}

/**
 * Reads the text of a result file.
 * @throws {ResultError} with the field and the error
 */
export function readResultFile(text: string): CourseResult {
  if (text.length > MAX_CHARACTERS) throw new ResultError(`it is longer than ${MAX_CHARACTERS} characters`);
  const file = parsed(text);
  if (!isObject(file) || file.format !== FORMAT) throw new ResultError('it is no result file of the lessons');
  const { formatVersion, name, lessons, assessment } = file;
  if (formatVersion !== FORMAT_VERSION) {
    throw new ResultError(`its format version is ${JSON.stringify(formatVersion)}; ${FORMAT_VERSION} is read here`);
  }
  const read = listAt(lessons, 'lessons', MAX_LESSONS, readRecord);
  checkOnce(
    read.map(({ lesson }) => lesson),
    'lessons',
  );
  return { name: textAt(name, 'name'), lessons: read, assessment: readAssessment(assessment, 'assessment') };
}

/**
 * Reads answers to the assessment.
 * @throws {ResultError} with the field and the error
 */
export function readAssessment(value: unknown, position: string): AssessmentAnswers {
  const { before, after, compared } = objectAt(value, position);
  if (compared !== undefined && compared !== true) throw new ResultError(`${position}.compared can only be true`);
  return {
    ...(before === undefined ? {} : { before: readAnswers(before, `${position}.before`) }),
    ...(after === undefined ? {} : { after: readAnswers(after, `${position}.after`) }),
    ...(compared ? { compared } : {}),
  };
}

function readAnswers(value: unknown, position: string): Readonly<Record<string, string>> {
  const answers = Object.entries(objectAt(value, position));
  if (answers.length > MAX_QUESTIONS) throw new ResultError(`${position} has ${answers.length} answers`);
  return Object.fromEntries(answers.map(([question, answer]) => [question, textAt(answer, `${position}.${question}`)]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new ResultError('it is not JSON, or it was cut off');
  }
}
