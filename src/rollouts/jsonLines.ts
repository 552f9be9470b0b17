import type { Group } from './forest.ts';
import { checkParents } from './forest.ts';
import type { ForestLocation } from './forestError.ts';
import { ForestError } from './forestError.ts';
import { TOO_DEEP, tooDeep } from './nesting.ts';
import { show } from './quoting.ts';

/**
 * File format of groups: JSON Lines with one group per line, for example
 * `{"id": "search-0", "turns": [{"parent": -1, "reward": 0.5}, ...]}`.
 * Known fields of groups and turns are checked; unknown fields are retained.
 */

/**
 * Reads the text of a file of groups. Empty lines are skipped, and lines can end in \r\n.
 * @throws {ForestError} that names the line, group, turn and field of the first error
 */
export function readGroups(text: string): Group[] {
  const groups: Group[] = [];
  // Editors on Windows write a byte order mark.
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  lines.forEach((line, index) => {
    if (line.trim() !== '') groups.push(readGroup(line, index + 1));
  });
  return groups;
}

/** Reads one group. @param text JSON of the group @param line number of its line, for messages */
export function readGroup(text: string, line?: number): Group {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ForestError({ line }, `not JSON (${(error as Error).message})`);
  }
  return checkGroup(value, line);
}

/**
 * Returns groups as JSON Lines. `readGroups` reads equal groups from the text.
 * @throws {ForestError} for numbers that JSON lacks (NaN, infinities) and for anything that `readGroups` rejects
 */
export function writeGroups(groups: readonly Group[]): string {
  return groups.map((group) => `${JSON.stringify(checkGroup(group))}\n`).join('');
}

/**
 * Checks that a value is a group, and returns it.
 * @param line number of its line, for messages
 * @throws {ForestError} that names the group, the turn and the field
 */
export function checkGroup(value: unknown, line?: number): Group {
  if (!isRecord(value)) throw new ForestError({ line }, `a group must be an object, not ${show(value)}`);
  const { id, turns } = value;
  if (id === undefined) throw new ForestError({ line, field: 'id' }, missing('a text'));
  if (typeof id !== 'string') throw new ForestError({ line, field: 'id' }, `${show(id)} is not a text`);
  if (turns === undefined) throw new ForestError({ line, group: id, field: 'turns' }, missing('a list of turns'));
  if (!Array.isArray(turns)) throw new ForestError({ line, group: id, field: 'turns' }, `${show(turns)} is not a list`);
  turns.forEach((turn: unknown, index) => {
    const position = { line, group: id, turn: index };
    if (!isRecord(turn)) throw new ForestError(position, `a turn must be an object, not ${show(turn)}`);
    checkTurn(turn, position);
  });
  // Unknown fields can have any value that JSON.stringify can write.
  const deep = Object.keys(value).find((field) => field !== 'turns' && tooDeep(value[field]));
  if (deep !== undefined) throw new ForestError({ line, group: id, field: deep }, TOO_DEEP);
  const group = value as unknown as Group;
  try {
    checkParents(group);
  } catch (error) {
    if (error instanceof ForestError && line !== undefined) throw error.at(line);
    throw error;
  }
  return group;
}

/** Type of a field: its name for messages, and its check. */
interface FieldKind {
  readonly noun: string;
  fits(value: unknown): boolean;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const NUMBER: FieldKind = { noun: 'a finite number', fits: isNumber };
const INTEGER: FieldKind = { noun: 'a whole number', fits: Number.isInteger };
const COUNT: FieldKind = {
  noun: 'a whole number from 0',
  fits: (value) => Number.isInteger(value) && Number(value) >= 0,
};
const BOOLEAN: FieldKind = { noun: 'true or false', fits: (value) => typeof value === 'boolean' };
const TEXT: FieldKind = { noun: 'a text', fits: (value) => typeof value === 'string' };
const NUMBERS: FieldKind = {
  noun: 'a list of finite numbers',
  fits: (value) => Array.isArray(value) && value.every(isNumber),
};
const BITS: FieldKind = {
  noun: 'a list of 0 and 1',
  fits: (value) => Array.isArray(value) && value.every((bit) => bit === 0 || bit === 1),
};

const REQUIRED: Readonly<Record<string, FieldKind>> = { parent: INTEGER, reward: NUMBER };
const OPTIONAL: Readonly<Record<string, FieldKind>> = {
  outcome: NUMBER,
  solved: BOOLEAN,
  passed: BITS,
  state: TEXT,
  action: TEXT,
  validates: BOOLEAN,
  truncated: BOOLEAN,
  tokens: COUNT,
  logProb: NUMBER,
  values: NUMBERS,
  answerLogProb: NUMBER,
  stateValue: NUMBER,
};

const REQUIRED_NAMES = Object.keys(REQUIRED);
const KINDS: ReadonlyMap<string, FieldKind> = new Map(Object.entries({ ...REQUIRED, ...OPTIONAL }));

function checkTurn(turn: Record<string, unknown>, position: ForestLocation): void {
  for (const field of REQUIRED_NAMES) {
    if (turn[field] !== undefined) continue;
    throw new ForestError({ ...position, field }, missing(REQUIRED[field].noun));
  }
  for (const field of Object.keys(turn)) {
    const value = turn[field];
    const kind = KINDS.get(field);
    if (kind ? value === undefined || kind.fits(value) : !tooDeep(value)) continue;
    throw new ForestError({ ...position, field }, kind ? `${show(value)} is not ${kind.noun}` : TOO_DEEP);
  }
  const { tokens, values } = turn;
  if (tokens !== undefined && Array.isArray(values) && values.length !== tokens) {
    throw new ForestError({ ...position, field: 'values' }, `${values.length} values for ${tokens} tokens`);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function missing(noun: string): string {
  return `is missing; ${noun} is needed`;
}
