import { type Fields, isObject, show } from '../../metrics/fields.ts';
import { ResultError } from './resultError.ts';

// The content of a result file is checked field by field; each reader names the place of an error.

/** Longest text of a reader's, characters. */
const MOST_TEXT = 4000;

/** @throws {ResultError} */
export function objectAt(value: unknown, place: string): Fields {
  if (isObject(value)) return value;
  throw new ResultError(`${place} is ${show(value)}, not an object`);
}

/** @param most entries @throws {ResultError} */
export function listAt<Entry>(
  value: unknown,
  place: string,
  most: number,
  read: (entry: unknown, place: string) => Entry,
): readonly Entry[] {
  if (!Array.isArray(value)) throw new ResultError(`${place} is ${show(value)}, not a list`);
  if (value.length > most) throw new ResultError(`${place} has ${value.length} entries; ${most} are the most`);
  return value.map((entry, index) => read(entry, `${place}[${index}]`));
}

/** @throws {ResultError} */
export function textAt(value: unknown, place: string): string {
  if (typeof value !== 'string') throw new ResultError(`${place} is ${show(value)}, not a text`);
  if (value.length > MOST_TEXT) {
    throw new ResultError(`${place} has ${value.length} characters; ${MOST_TEXT} are the most`);
  }
  return value;
}

/** @throws {ResultError} */
export function wholeAt(value: unknown, place: string, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new ResultError(`${place} is ${show(value)}, not a whole number from ${least} to ${most}`);
}

/** A share from 0 to 1. @throws {ResultError} */
export function shareAt(value: unknown, place: string): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw new ResultError(`${place} is ${show(value)}, not a number from 0 to 1`);
}

/** @throws {ResultError} */
export function oneOfAt<Word extends string>(value: unknown, place: string, words: readonly Word[]): Word {
  const word = words.find((one) => one === value);
  if (word !== undefined) return word;
  throw new ResultError(`${place} is ${show(value)}, not one of ${words.join(', ')}`);
}

/** @throws {ResultError} naming a value that comes twice */
export function checkOnce(names: readonly string[], place: string): void {
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new ResultError(`${place} names ${show(twice)} twice`);
}
