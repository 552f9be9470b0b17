import { type Fields, isObject, show } from '../../metrics/readMetrics.ts';
import { ResultError } from './resultError.ts';

// Functions that check the content of a result file field by field. An error has the position of the value.

/** Maximum length of a text that a user wrote [characters]. */
const MAX_TEXT = 4000;

/**
 * Reads an object.
 * @throws {ResultError} with the position and the value
 */
export function objectAt(value: unknown, position: string): Fields {
  if (isObject(value)) return value;
  throw new ResultError(`${position} is ${show(value)}, not an object`);
}

/**
 * Reads a list.
 * @param maximum maximum number of entries
 * @throws {ResultError} with the position and the error
 */
export function listAt<Entry>(
  value: unknown,
  position: string,
  maximum: number,
  read: (entry: unknown, entryPosition: string) => Entry,
): readonly Entry[] {
  if (!Array.isArray(value)) throw new ResultError(`${position} is ${show(value)}, not a list`);
  if (value.length > maximum) throw new ResultError(`${position} has ${value.length} entries; ${maximum} are the most`);
  return value.map((entry, index) => read(entry, `${position}[${index}]`));
}

/**
 * Reads a text of limited length.
 * @throws {ResultError} with the position and the error
 */
export function textAt(value: unknown, position: string): string {
  if (typeof value !== 'string') throw new ResultError(`${position} is ${show(value)}, not a text`);
  if (value.length > MAX_TEXT) {
    throw new ResultError(`${position} has ${value.length} characters; ${MAX_TEXT} are the most`);
  }
  return value;
}

/**
 * Reads an integer in a closed range.
 * @throws {ResultError} with the position, the value and the range
 */
export function readIntegerField(value: unknown, position: string, least: number, maximum: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= maximum) return value;
  throw new ResultError(`${position} is ${show(value)}, not a whole number from ${least} to ${maximum}`);
}

/**
 * Reads a share from 0 to 1.
 * @throws {ResultError} with the position and the value
 */
export function shareAt(value: unknown, position: string): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw new ResultError(`${position} is ${show(value)}, not a number from 0 to 1`);
}

/**
 * Reads one of several names.
 * @throws {ResultError} with the position, the value and the allowed names
 */
export function readEnumField<Name extends string>(value: unknown, position: string, options: readonly Name[]): Name {
  const option = options.find((candidate) => candidate === value);
  if (option !== undefined) return option;
  throw new ResultError(`${position} is ${show(value)}, not one of ${options.join(', ')}`);
}

/**
 * Checks that no name is repeated.
 * @throws {ResultError} with the repeated name
 */
export function checkOnce(names: readonly string[], position: string): void {
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new ResultError(`${position} names ${show(twice)} twice`);
}
