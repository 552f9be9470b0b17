import { isOwnRule, type OwnSource, ownName, readOwn } from '../../credit/rules/own/ownSource.ts';
import { isObject, show } from '../../metrics/fields.ts';
import type { Curves } from './courseResult.ts';
import { digestOf } from './digest.ts';
import { RACE } from './race.ts';
import { readCurves } from './readRecord.ts';
import { ResultError } from './resultError.ts';
import { checkOnce, listAt, objectAt, oneOfAt, textAt } from './resultFields.ts';

/** What came of a rule in the challenge, as a file: JSON, readable by people. Nothing of it runs when it is read. */
const FORMAT = 'turnwise-challenge-result';
const FORMAT_VERSION = 1;
const MOST_CHARACTERS = 1_000_000;

/** The figures of a task. */
export const FIGURES = ['correlation', 'wrong', 'silent', 'cosine'] as const;
/** A value with the ends of its interval; null where it is not defined. */
export type Figure = readonly [value: number | null, low: number | null, high: number | null];

export interface TaskResult {
  readonly task: string;
  /** Absent where the rule cannot read the task's groups. */
  readonly figures?: Readonly<Record<(typeof FIGURES)[number], Figure>>;
}

/** A run of the race; everything else about it follows from the rule (raceRuns). */
export interface RaceResult {
  readonly name: string;
  readonly device: string;
  /** Each line of the race, [updates]. */
  readonly curves: Curves;
  readonly digest: string;
}

export interface ChallengeResult {
  /** What whoever wrote the rule calls herself; empty where she does not say. */
  readonly name: string;
  readonly rule: OwnSource;
  readonly tasks: readonly TaskResult[];
  /** Empty where there was no race, or not all of it. */
  readonly race: readonly RaceResult[];
}

export function writeChallengeFile(result: ChallengeResult): string {
  return `${JSON.stringify({ format: FORMAT, formatVersion: FORMAT_VERSION, ...result })}\n`;
}

/** Whether a text says that it is such a file. */
export function isChallengeFile(text: string): boolean {
  return text.slice(0, 200).includes(`"${FORMAT}"`);
}

/** @throws {ResultError} saying what is wrong, and in which field */
export function readChallengeFile(text: string): ChallengeResult {
  if (text.length > MOST_CHARACTERS) throw new ResultError(`it is longer than ${MOST_CHARACTERS} characters`);
  let file: unknown;
  try {
    file = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new ResultError('it is not JSON, or it was cut off');
  }
  if (!isObject(file) || file.format !== FORMAT) throw new ResultError('it is no result file of the challenge');
  if (file.formatVersion !== FORMAT_VERSION)
    throw new ResultError(`its format version is ${show(file.formatVersion)}; ${FORMAT_VERSION} is read here`);
  return readChallenge(file);
}

/** Reads what a file or the browser holds. @throws {ResultError} naming the field */
export function readChallenge(value: unknown): ChallengeResult {
  const { name, rule, tasks, race } = objectAt(value, 'the result');
  const results = listAt(tasks, 'tasks', 10, readTask);
  const runs = listAt(race, 'race', 20, readRun);
  checkOnce(
    results.map(({ task }) => task),
    'tasks',
  );
  checkOnce(
    runs.map((run) => run.name),
    'race',
  );
  return { name: textAt(name, 'name'), rule: readRule(rule), tasks: results, race: runs };
}

function readRule(value: unknown): OwnSource {
  const { file, values, source } = objectAt(value, 'rule');
  const name = ownName({ file, values: objectAt(values, 'rule.values'), source } as OwnSource);
  if (isOwnRule(name)) return readOwn(name);
  throw new ResultError('rule is no credit rule with its file, values and source');
}

function readTask(value: unknown, place: string): TaskResult {
  const { task, figures } = objectAt(value, place);
  const named = textAt(task, `${place}.task`);
  if (figures === undefined) return { task: named };
  const own = objectAt(figures, `${place}.figures`);
  const read = FIGURES.map((name) => [name, readFigure(own[name], `${place}.figures.${name}`)] as const);
  return { task: named, figures: Object.fromEntries(read) as NonNullable<TaskResult['figures']> };
}

function readFigure(value: unknown, place: string): Figure {
  const list = listAt(value, place, 3, (one, at) => {
    if (one === null || (typeof one === 'number' && Number.isFinite(one))) return one;
    throw new ResultError(`${at} is ${show(one)}, neither a number nor null`);
  });
  if (list.length !== 3) throw new ResultError(`${place} has ${list.length} numbers; a value and two ends are 3`);
  return [list[0], list[1], list[2]];
}

function readRun(value: unknown, place: string): RaceResult {
  const { name, device, curves, digest } = objectAt(value, place);
  const read = readCurves(curves, `${place}.curves`, RACE.steps);
  const lines = Object.keys(read);
  if (lines.length === 0) throw new ResultError(`${place}.curves is empty`);
  // A race of before was run for training's own questions.
  for (const line of lines) oneOfAt(line, `${place}.curves`, RACE.lines);
  const own = digestOf(read);
  if (digest !== own) throw new ResultError(`${place}: its curves were changed; their digest is ${own}`);
  return { name: textAt(name, `${place}.name`), device: textAt(device, `${place}.device`), curves: read, digest: own };
}

/** What differs between the figures of a file and those that were worked out again; undefined for nothing. */
export function taskDifference(own: TaskResult, again: TaskResult | undefined): string | undefined {
  if (!again) return 'there is no such task here';
  if (!own.figures && !again.figures) return undefined;
  if (!own.figures) return 'the file has no figures, and there are some';
  if (!again.figures) return 'the rule cannot read the groups of this task';
  for (const name of FIGURES) {
    const [mine, theirs] = [own.figures[name], again.figures[name]];
    const at = mine.findIndex((value, index) => value !== theirs[index]);
    if (at >= 0) return `${name}${['', ', low end,', ', high end,'][at]} is ${mine[at]}, and ${theirs[at]} here`;
  }
  return undefined;
}
