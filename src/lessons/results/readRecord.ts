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
  MOST_ATTEMPTS,
  type RunResult,
} from './courseResult.ts';
import { digestOf } from './digest.ts';
import { ResultError } from './resultError.ts';
import { checkOnce, listAt, objectAt, oneOfAt, shareAt, textAt, wholeAt } from './resultFields.ts';

/** Most of what a lesson has, so that no file can ask for more than lessons do. */
const MOST = { steps: 1000, runs: 4, points: 101, exercises: 20, answers: 50, tries: 1e6 };

/**
 * Reads what was done in a lesson.
 * @param place of the value in its file, for messages
 * @throws {ResultError} naming the field and what is wrong with it
 */
export function readRecord(value: unknown, place: string): LessonRecord {
  const { lesson, attempts } = objectAt(value, place);
  const read = listAt(attempts, `${place}.attempts`, MOST_ATTEMPTS, readAttempt);
  if (read.length === 0) throw new ResultError(`${place}.attempts is empty`);
  return { lesson: textAt(lesson, `${place}.lesson`), attempts: read };
}

function readAttempt(value: unknown, place: string): Attempt {
  const { prediction, runs, exercises } = objectAt(value, place);
  const drawn = listAt(prediction, `${place}.prediction`, MOST.points, shareAt);
  if (drawn.length < 2) throw new ResultError(`${place}.prediction has ${drawn.length} points; 2 are the least`);
  const read = listAt(runs, `${place}.runs`, MOST.runs, readRun);
  checkOnce(
    read.map(({ name }) => name),
    `${place}.runs`,
  );
  return {
    prediction: drawn,
    runs: read,
    exercises: listAt(exercises, `${place}.exercises`, MOST.exercises, readExercise),
  };
}

function readRun(value: unknown, place: string): RunResult {
  const { name, configuration, steps, device, curves, digest } = objectAt(value, place);
  const count = wholeAt(steps, `${place}.steps`, 1, MOST.steps);
  const read = readCurves(curves, `${place}.curves`, count);
  const own = digestOf(read);
  if (digest !== own) throw new ResultError(`${place}: its curves were changed; their digest is ${own}`);
  return {
    name: textAt(name, `${place}.name`),
    configuration: configurationAt(configuration, place),
    steps: count,
    device: textAt(device, `${place}.device`),
    curves: read,
    digest: own,
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
    const own = `${place}[${JSON.stringify(line)}]`;
    const read = listAt(values, own, steps, (one, at) => {
      if (one === null || (typeof one === 'number' && Number.isFinite(one))) return one;
      throw new ResultError(`${at} is ${JSON.stringify(one)}, neither a number nor null`);
    });
    if (read.length !== steps) throw new ResultError(`${own} has ${read.length} values for ${steps} updates`);
    return [line, read] as const;
  });
  return Object.fromEntries(lines);
}

function readExercise(value: unknown, place: string): ExerciseResult {
  const { number, kind, rule, step, group, answers } = objectAt(value, place);
  const read = listAt(answers, `${place}.answers`, MOST.answers, readAnswer);
  checkOnce(
    read.map(({ question }) => question),
    `${place}.answers`,
  );
  return {
    number: wholeAt(number, `${place}.number`, 1, MOST.exercises),
    kind: textAt(kind, `${place}.kind`),
    ...(rule === undefined ? {} : { rule: textAt(rule, `${place}.rule`) }),
    ...(step === undefined ? {} : { step: wholeAt(step, `${place}.step`, 0, MOST.steps) }),
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
    ...(at === undefined ? {} : { place: wholeAt(at, `${place}.place`, 1, MOST.answers) }),
    ...(turn === undefined ? {} : { turn: wholeAt(turn, `${place}.turn`, 0, 1e6) }),
    text: textAt(text, `${place}.text`),
    check: oneOfAt(check, `${place}.check`, CHECKS),
    tries: wholeAt(tries, `${place}.tries`, 1, MOST.tries),
  };
}
