import { printable, quoted, show } from '../quoting.ts';

/** Maximum length of a column's name or path in a message [characters]. */
const PATH = 80;

/** Location of an error in a trainer's log. Unknown parts are undefined. */
export interface LogLocation {
  readonly file?: string | undefined;
  /** Line of a JSON Lines file, from 1. */
  readonly line?: number | undefined;
  /** Row of a table, from 1. */
  readonly row?: number | undefined;
  /** Name of the column, or a path inside it such as `completion[2].role`. */
  readonly column?: string | undefined;
}

/** Error of a log that cannot be read in its format. The message names the file, line or row, and column. */
export class ImportError extends Error {
  constructor(
    readonly location: LogLocation,
    /** Description of the error, without its location. */
    readonly problem: string,
  ) {
    const parts = [];
    if (location.file !== undefined) parts.push(location.file);
    if (location.line !== undefined) parts.push(`line ${location.line}`);
    if (location.row !== undefined) parts.push(`row ${location.row}`);
    if (location.column !== undefined) parts.push(`column ${quoted(location.column, PATH)}`);
    super(printable(parts.length > 0 ? `${parts.join(', ')}: ${problem}` : problem));
    this.name = 'ImportError';
  }

  /** Returns the error with missing parts of its location added. */
  at(location: LogLocation): ImportError {
    return new ImportError({ ...location, ...this.location }, this.problem);
  }
}

/** Maximum length of a column name in a list of columns [characters]. */
const NAME = 40;

/** Columns of a row by name, in the order of the file. */
export type Columns = Readonly<Record<string, unknown>>;

/** One row of a log: a line of a JSON Lines file, or a row of a table. */
export interface LogRow {
  readonly location: LogLocation;
  readonly columns: Columns;
}

/** Type of a value: its name for messages, and its check. */
interface ValueKind<Value> {
  readonly noun: string;
  fits(value: unknown): value is Value;
}

export const TEXT: ValueKind<string> = { noun: 'a string', fits: (value) => typeof value === 'string' };
export const NUMBER: ValueKind<number> = {
  noun: 'a number',
  fits: (value): value is number => typeof value === 'number' && Number.isFinite(value),
};
export const LIST: ValueKind<readonly unknown[]> = { noun: 'a list', fits: (value) => Array.isArray(value) };
export const RECORD: ValueKind<Columns> = { noun: 'an object', fits: isRecord };

/**
 * Returns the value of a required column.
 * @throws {ImportError} that names the column, if it is missing or of another type
 */
export function required<Value>(row: LogRow, column: string, kind: ValueKind<Value>): Value {
  const value = present(row, column);
  if (kind.fits(value)) return value;
  throw wrongKind(row, column, value, kind.noun);
}

/**
 * Returns the value of a required column; undefined if the trainer wrote null (or NaN, see logFile.ts).
 * @throws {ImportError} that names the column, if it is missing or of another type
 */
export function requiredOrNull<Value>(row: LogRow, column: string, kind: ValueKind<Value>): Value | undefined {
  const value = present(row, column);
  if (value === null) return undefined;
  if (kind.fits(value)) return value;
  throw wrongKind(row, column, value, `${kind.noun} or null`);
}

/**
 * Returns the value of an optional column; undefined if it is missing or null.
 * @throws {ImportError} that names the column, if it is of another type
 */
export function optional<Value>(row: LogRow, column: string, kind: ValueKind<Value>): Value | undefined {
  const value = row.columns[column];
  if (value === undefined || value === null) return undefined;
  if (kind.fits(value)) return value;
  throw wrongKind(row, column, value, kind.noun);
}

/** Returns an error for a value of another type. @param noun name of the expected type */
export function wrongKind(row: LogRow, column: string, value: unknown, noun: string): ImportError {
  return new ImportError({ ...row.location, column }, `${show(value)} is not ${noun}`);
}

/** Returns the columns of a row without the excluded names. */
export function omitColumns(
  columns: Columns,
  excluded: ReadonlySet<string> | readonly string[],
): Record<string, unknown> {
  const names = new Set(excluded);
  return Object.fromEntries(Object.entries(columns).filter(([name]) => !names.has(name)));
}

/** Returns the columns of a row with the given names. Missing columns are left out. */
export function pick(columns: Columns, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => columns[name] !== undefined).map((name) => [name, columns[name]]));
}

/**
 * Returns an object inside a row as a row, so that errors name its columns.
 * @param where file or number of the object, for errors
 * @throws {ImportError} if the value is not an object
 */
export function partOf(row: LogRow, column: string, value: unknown, where: LogLocation = {}): LogRow {
  if (!isRecord(value)) throw wrongKind(row, column, value, 'an object');
  return { columns: value, location: { ...row.location, ...where } };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function present(row: LogRow, column: string): unknown {
  const value = row.columns[column];
  if (value !== undefined) return value;
  const there = Object.keys(row.columns);
  const list =
    there.length > 0
      ? `the row has ${there
          .slice(0, 12)
          .map((name) => printable(name.slice(0, NAME)))
          .join(', ')}`
      : 'the row has no columns';
  throw new ImportError({ ...row.location, column }, `missing; ${list}${there.length > 12 ? ', …' : ''}`);
}

/** Returns the entries with finite numbers. */
export function numbersOf(record: Readonly<Record<string, unknown>>): Record<string, number> {
  return Object.fromEntries(Object.entries(record).filter((entry): entry is [string, number] => NUMBER.fits(entry[1])));
}

/** Returns a value if it is a non-negative integer, otherwise undefined. */
export function parseCount(value: unknown): number | undefined {
  return Number.isInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}
