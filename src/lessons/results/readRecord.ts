import type { Group } from '../../rollouts/forest.ts';
import { ForestError } from '../../rollouts/forestError.ts';
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

/** Most of what a lesson has, so that no file can ask for more than lessons do. */
const MAXIMUM = { steps: 1000, runs: 4, points: 101, exercises: 20, answers: 50, tries: 1e6 };

/**
 * Reads what was done in a lesson.
 * @param place of the value in its file, for messages
 * @throws {ResultError} naming the field and what is wrong with it
 */
export function readRecord(value: unknown, place: string): LessonRecord {
  const { lesson, attempts } = objectAt(value, place);
  const read = listAt(attempts, `${place}.attempts`, MAX_SAVED_ATTEMPTS, readAttempt);
  if (read.length === 0) throw new ResultError(`${place}.attempts is empty`);
  return { lesson: textAt(lesson, `${place}.lesson`), attempts: read };
}

function readAttempt(value: unknown, place: string): Attempt {
  const { prediction, runs, exercises } = objectAt(value, place);
  const drawn = listAt(prediction, `${place}.prediction`, MAXIMUM.points, shareAt);
  if (drawn.length < 2) throw new ResultError(`${place}.prediction has ${drawn.length} points; 2 are the least`);
  const read = listAt(runs, `${place}.runs`, MAXIMUM.runs, readRun);
  checkOnce(
    read.map(({ name }) => name),
    `${place}.runs`,
  );
  return {
    prediction: drawn,
    runs: read,
    exercises: listAt(exercises, `${place}.exercises`, MAXIMUM.exercises, readExercise),
  };
}

function readRun(value: unknown, place: string): RunResult {
  const { name, configuration, steps, device, curves, digest } = objectAt(value, place);
  const count = readIntegerField(steps, `${place}.steps`, 1, MAXIMUM.steps);
  const read = readCurves(curves, `${place}.curves`, count);
  const expected = digestOf(read);
  if (digest !== expected) throw new ResultError(`${place}: its curves were changed; their digest is ${expected}`);
  return {
    name: textAt(name, `${place}.name`),
    configuration: configurationAt(configuration, place),
    steps: count,
    device: textAt(device, `${place}.device`),
    curves: read,
    digest: expected,
  };
}

function configurationAt(value: unknown, place: string): RunConfiguration {
  try {
    return readConfiguration(value);
  } catch (error) {
    if (error instanceof StorageError) throw new ResultError(`${place}.${error.message}`);
    throw error;
  }
}

/** Curves of so many updates. @throws {ResultError} */
function readCurves(value: unknown, place: string, steps: number): Curves {
  const lines = Object.entries(objectAt(value, place)).map(([line, values]) => {
    const linePosition = `${place}[${JSON.stringify(line)}]`;
    const read = listAt(values, linePosition, steps, (entry, at) => {
      if (entry === null || (typeof entry === 'number' && Number.isFinite(entry))) return entry;
      throw new ResultError(`${at} is ${JSON.stringify(entry)}, neither a number nor null`);
    });
    if (read.length !== steps) throw new ResultError(`${linePosition} has ${read.length} values for ${steps} updates`);
    return [line, read] as const;
  });
  return Object.fromEntries(lines);
}

function readExercise(value: unknown, place: string): ExerciseResult {
  const { number, kind, rule, step, group, answers } = objectAt(value, place);
  const read = listAt(answers, `${place}.answers`, MAXIMUM.answers, readAnswer);
  checkOnce(
    read.map(({ question }) => question),
    `${place}.answers`,
  );
  return {
    number: readIntegerField(number, `${place}.number`, 1, MAXIMUM.exercises),
    kind: textAt(kind, `${place}.kind`),
    ...(rule === undefined ? {} : { rule: textAt(rule, `${place}.rule`) }),
    ...(step === undefined ? {} : { step: readIntegerField(step, `${place}.step`, 0, MAXIMUM.steps) }),
    ...(group === undefined ? {} : { group: groupAt(group, `${place}.group`) }),
    answers: read,
  };
}

function groupAt(value: unknown, place: string): Group {
  try {
    return checkGroup(value);
  } catch (error) {
    if (error instanceof ForestError) throw new ResultError(`${place}: ${error.message}`);
    throw error;
  }
}

function readAnswer(value: unknown, place: string): ExerciseAnswer {
  const { question, place: at, turn, text, check, tries } = objectAt(value, place);
  return {
    question: textAt(question, `${place}.question`),
    ...(at === undefined ? {} : { place: readIntegerField(at, `${place}.place`, 1, MAXIMUM.answers) }),
    ...(turn === undefined ? {} : { turn: readIntegerField(turn, `${place}.turn`, 0, 1e6) }),
    text: textAt(text, `${place}.text`),
    check: readEnumField(check, `${place}.check`, CHECKS),
    tries: readIntegerField(tries, `${place}.tries`, 1, MAXIMUM.tries),
  };
}
