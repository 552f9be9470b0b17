import { checkParents, ForestError, type ForestLocation, type Group } from './forest.ts';
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

/** Line of a text. */
interface Line {
  /** Text without the \n. A \r before it is retained. */
  readonly text: string;
  /** Line number, from 1. */
  readonly number: number;
  /** Size in the file without the \n [bytes]. */
  readonly bytes: number;
}

/** Maximum length of a string in V8 [characters]. */
const LONGEST = 2 ** 29 - 24;

const NEWLINE = 0x0a;

/**
 * Splits a stream of bytes into lines of UTF-8 text. Memory contains one line at a time. Lines of white space are not
 * returned, but count in line numbers. A byte order mark at the start of any line is removed, because joined files
 * contain them.
 * @throws {ForestError} that names the line, if it is not UTF-8 or exceeds the maximum length of a string
 */
export async function* textLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let number = 0;
  let parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array) => {
    length += part.length;
    if (length > LONGEST) throw new ForestError({ line: number + 1 }, `the line is longer than ${LONGEST} bytes`);
    parts.push(part);
  };
  const finishLine = (): Line | undefined => {
    number++;
    const bytes = parts.length === 1 ? parts[0] : joined(parts, length);
    parts = [];
    length = 0;
    const text = decode(bytes, number);
    return text.trim() === '' ? undefined : { text, number, bytes: bytes.length };
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, at));
      from = at + 1;
      const line = finishLine();
      if (line) yield line;
    }
    if (from < chunk.length) add(chunk.subarray(from));
  }
  const last = length > 0 ? finishLine() : undefined;
  if (last) yield last;
}

function decode(bytes: Uint8Array, line: number): string {
  try {
    return utf8Text(bytes);
  } catch (error) {
    throw error instanceof NotTextError ? new ForestError({ line }, error.message) : error;
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const result = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}

/** Groups that are processed together, with their line numbers. */
export interface GroupBatch {
  readonly groups: readonly Group[];
  /** [groups]: line of each group in the file, from 1. */
  readonly lines: readonly number[];
}

/** Limits for the sums over the groups of one batch. A single group above a limit is a separate batch. */
export interface BatchLimits {
  readonly turns: number;
  /** Number of tokens that the policy wrote. */
  readonly tokens: number;
  /** Number of unit test results over all turns. */
  readonly results: number;
  /** Size of the lines in the file [bytes]. Unknown fields are retained and can be long. */
  readonly bytes: number;
}

/**
 * Reads JSON Lines as batches of groups, in the order of the file. Memory contains one batch at a time. Groups before a
 * wrong line are yielded before the error is thrown, so the caller can report their errors first.
 * @throws {ForestError} that names the line, group, turn and field of the first error
 */
export async function* groupBatches(
  chunks: AsyncIterable<Uint8Array>,
  limits: BatchLimits,
): AsyncGenerator<GroupBatch> {
  const empty = () => ({ groups: [] as Group[], lines: [] as number[], size: nothing() });
  let batch = empty();
  try {
    for await (const { text, number, bytes } of textLines(chunks)) {
      const group = readGroup(text, number);
      const size = sizeOf(group, bytes);
      if (batch.groups.length > 0 && exceeds(sum(batch.size, size), limits)) {
        yield batch;
        batch = empty();
      }
      batch.groups.push(group);
      batch.lines.push(number);
      batch.size = sum(batch.size, size);
    }
  } catch (error) {
    if (batch.groups.length > 0) yield batch;
    throw error;
  }
  if (batch.groups.length > 0) yield batch;
}

const KEYS = ['turns', 'tokens', 'results', 'bytes'] as const satisfies readonly (keyof BatchLimits)[];

function nothing(): BatchLimits {
  return { turns: 0, tokens: 0, results: 0, bytes: 0 };
}

function sizeOf({ turns }: Group, bytes: number): BatchLimits {
  let [tokens, results] = [0, 0];
  for (const turn of turns) {
    tokens += turn.tokens ?? 0;
    results += turn.passed?.length ?? 0;
  }
  return { turns: turns.length, tokens, results, bytes };
}

function sum(a: BatchLimits, b: BatchLimits): BatchLimits {
  return {
    turns: a.turns + b.turns,
    tokens: a.tokens + b.tokens,
    results: a.results + b.results,
    bytes: a.bytes + b.bytes,
  };
}

function exceeds(size: BatchLimits, limits: BatchLimits): boolean {
  return KEYS.some((key) => size[key] > limits[key]);
}

/** Error for bytes that are not UTF-8. The message names their format if the first bytes identify it. */
export class NotTextError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotTextError';
  }
}

/** Names and first bytes of file formats that users pass instead of text. */
const SIGNATURES: readonly (readonly [what: string, bytes: readonly number[]])[] = [
  ['gzip; unpack it first', [0x1f, 0x8b]],
  ['Zstandard; unpack it first', [0x28, 0xb5, 0x2f, 0xfd]],
  ['a ZIP archive; unpack it first', [0x50, 0x4b, 0x03, 0x04]],
  ['UTF-16, not UTF-8 text', [0xff, 0xfe]],
  ['UTF-16, not UTF-8 text', [0xfe, 0xff]],
  ['Parquet, not text', [0x50, 0x41, 0x52, 0x31]],
];

const DECODER = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes UTF-8 bytes, without a byte order mark at the start.
 * @throws {NotTextError} if the bytes are not UTF-8
 */
export function utf8Text(bytes: Uint8Array): string {
  try {
    return DECODER.decode(bytes);
  } catch {
    const known = SIGNATURES.find(([, start]) => start.every((byte, at) => bytes[at] === byte));
    throw new NotTextError(known?.[0] ?? 'not UTF-8 text');
  }
}

/**
 * Maximum depth of nested lists and objects in a field. Recursive readers and writers of JSON overflow the stack at a
 * few thousand levels; typical data have about ten.
 */
const DEEPEST = 500;

/** Error message for a field that exceeds the maximum depth. */
export const TOO_DEEP = `nested deeper than ${DEEPEST} levels`;

/** Returns true if lists and objects of a value exceed the maximum depth. Not recursive, so it accepts any depth. */
export function tooDeep(value: unknown): boolean {
  if (!isObject(value)) return false;
  let level = [value];
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
    const below: object[] = [];
    for (const item of level) {
      for (const entry of Array.isArray(item) ? item : Object.values(item)) if (isObject(entry)) below.push(entry);
    }
    level = below;
  }
  return level.length > 0;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
