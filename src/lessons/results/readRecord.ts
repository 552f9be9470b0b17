import { ForestError, type Group } from '../../rollouts/forest.ts';
import { checkGroup } from '../../rollouts/jsonLines.ts';
import { StorageError } from '../../storage/runStore.ts';
import { readConfiguration } from '../../storage/savedRun.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import {
  type Attempt,
  CHECKS,
  type Curves,
  type ExerciseAnswer,
  type ExerciseResult,
  type LessonRecord,
  MAX_SAVED_ATTEMPTS,
  type RunResult,
} from './courseResult.ts';
import { digestOf } from './digest.ts';
import { ResultError } from './resultError.ts';
import { checkOnce, listAt, objectAt, readEnumField, readIntegerField, shareAt, textAt } from './resultFields.ts';

/** Maximum sizes in a result file, above those of all lessons. They limit the work for a manipulated file. */
const MAXIMUM = { steps: 1000, runs: 4, points: 101, exercises: 20, answers: 50, tries: 1e6 };

/**
 * Reads the results of a lesson.
 * @param position position of the value in its file, for messages
 * @throws {ResultError} with the field and the error
 */
export function readRecord(value: unknown, position: string): LessonRecord {
  const { lesson, attempts } = objectAt(value, position);
  const read = listAt(attempts, `${position}.attempts`, MAX_SAVED_ATTEMPTS, readAttempt);
  if (read.length === 0) throw new ResultError(`${position}.attempts is empty`);
  return { lesson: textAt(lesson, `${position}.lesson`), attempts: read };
}

function readAttempt(value: unknown, position: string): Attempt {
  const { prediction, runs, exercises } = objectAt(value, position);
  const drawn = listAt(prediction, `${position}.prediction`, MAXIMUM.points, shareAt);
  if (drawn.length < 2) throw new ResultError(`${position}.prediction has ${drawn.length} points; 2 are the least`);
  const read = listAt(runs, `${position}.runs`, MAXIMUM.runs, readRun);
  checkOnce(
    read.map(({ name }) => name),
    `${position}.runs`,
  );
  return {
    prediction: drawn,
    runs: read,
    exercises: listAt(exercises, `${position}.exercises`, MAXIMUM.exercises, readExercise),
  };
}

function readRun(value: unknown, position: string): RunResult {
  const { name, configuration, steps, device, curves, digest } = objectAt(value, position);
  const count = readIntegerField(steps, `${position}.steps`, 1, MAXIMUM.steps);
  const read = readCurves(curves, `${position}.curves`, count);
  const expected = digestOf(read);
  if (digest !== expected) throw new ResultError(`${position}: its curves were changed; their digest is ${expected}`);
  return {
    name: textAt(name, `${position}.name`),
    configuration: configurationAt(configuration, position),
    steps: count,
    device: textAt(device, `${position}.device`),
    curves: read,
    digest: expected,
  };
}

function configurationAt(value: unknown, position: string): RunConfiguration {
  try {
    return readConfiguration(value);
  } catch (error) {
    if (error instanceof StorageError) throw new ResultError(`${position}.${error.message}`);
    throw error;
  }
}

/**
 * Reads curves with one value per update.
 * @throws {ResultError} with the field and the error
 */
function readCurves(value: unknown, position: string, steps: number): Curves {
  const lines = Object.entries(objectAt(value, position)).map(([line, values]) => {
    const linePosition = `${position}[${JSON.stringify(line)}]`;
    const read = listAt(values, linePosition, steps, (entry, at) => {
      if (entry === null || (typeof entry === 'number' && Number.isFinite(entry))) return entry;
      throw new ResultError(`${at} is ${JSON.stringify(entry)}, neither a number nor null`);
    });
    if (read.length !== steps) throw new ResultError(`${linePosition} has ${read.length} values for ${steps} updates`);
    return [line, read] as const;
  });
  return Object.fromEntries(lines);
}

function readExercise(value: unknown, position: string): ExerciseResult {
  const { number, kind, rule, step, group, answers } = objectAt(value, position);
  const read = listAt(answers, `${position}.answers`, MAXIMUM.answers, readAnswer);
  checkOnce(
    read.map(({ question }) => question),
    `${position}.answers`,
  );
  return {
    number: readIntegerField(number, `${position}.number`, 1, MAXIMUM.exercises),
    kind: textAt(kind, `${position}.kind`),
    ...(rule === undefined ? {} : { rule: textAt(rule, `${position}.rule`) }),
    ...(step === undefined ? {} : { step: readIntegerField(step, `${position}.step`, 0, MAXIMUM.steps) }),
    ...(group === undefined ? {} : { group: groupAt(group, `${position}.group`) }),
    answers: read,
  };
}

function groupAt(value: unknown, position: string): Group {
  try {
    return checkGroup(value);
  } catch (error) {
    if (error instanceof ForestError) throw new ResultError(`${position}: ${error.message}`);
    throw error;
  }
}

function readAnswer(value: unknown, position: string): ExerciseAnswer {
  const { question, place: at, turn, text, check, tries } = objectAt(value, position);
  return {
    question: textAt(question, `${position}.question`),
    ...(at === undefined ? {} : { place: readIntegerField(at, `${position}.place`, 1, MAXIMUM.answers) }),
    ...(turn === undefined ? {} : { turn: readIntegerField(turn, `${position}.turn`, 0, 1e6) }),
    text: textAt(text, `${position}.text`),
    check: readEnumField(check, `${position}.check`, CHECKS),
    tries: readIntegerField(tries, `${position}.tries`, 1, MAXIMUM.tries),
  };
}
