import { printable, show } from '../quoting.ts';
import { ImportError, type LogLocation } from './importError.ts';

/** Characters of a column's name that a list shows. */
const NAME = 40;

/** The columns of a row, in the order of the file. */
export type Columns = Readonly<Record<string, unknown>>;

/** One row of a log: a line of a line file, or a row of a table. */
export interface LogRow {
  readonly location: LogLocation;
  readonly columns: Columns;
}

/** A kind of value: what it must be, in words, and the check. */
export interface ValueKind<Value> {
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
 * The value of a column that every row must have.
 * @throws {ImportError} naming the column, where it is missing or of another kind
 */
export function required<Value>(row: LogRow, column: string, kind: ValueKind<Value>): Value {
  const value = present(row, column);
  if (kind.fits(value)) return value;
  throw wrongKind(row, column, value, kind.noun);
}

/** The same, undefined where the trainer wrote null (or NaN, see pythonJson.ts). */
export function requiredOrNull<Value>(row: LogRow, column: string, kind: ValueKind<Value>): Value | undefined {
  const value = present(row, column);
  if (value === null) return undefined;
  if (kind.fits(value)) return value;
  throw wrongKind(row, column, value, `${kind.noun} or null`);
}

/** The value of a column that a row may have; undefined where it is missing or null. */
export function optional<Value>(row: LogRow, column: string, kind: ValueKind<Value>): Value | undefined {
  const value = row.columns[column];
  if (value === undefined || value === null) return undefined;
  if (kind.fits(value)) return value;
  throw wrongKind(row, column, value, kind.noun);
}

/** The error of a value that is not what it must be. */
export function wrongKind(row: LogRow, column: string, value: unknown, noun: string): ImportError {
  return new ImportError({ ...row.location, column }, `${show(value)} is not ${noun}`);
}

/** The columns of a row but those that are named. */
export function omitColumns(
  columns: Columns,
  excluded: ReadonlySet<string> | readonly string[],
): Record<string, unknown> {
  const names = new Set(excluded);
  return Object.fromEntries(Object.entries(columns).filter(([name]) => !names.has(name)));
}

/** The named columns that a row has. */
export function pick(columns: Columns, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => columns[name] !== undefined).map((name) => [name, columns[name]]));
}

/**
 * Returns an object inside a row as a row, for errors about its columns.
 * @param where the file or the number of the object, for these errors
 * @throws {ImportError} for a value that is not an object
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
