import { type Json, JsonError, parseJson } from './json.ts';
import {
  type Dict,
  ENTRY,
  type Expected,
  type Job,
  type Scalar,
  type SetValue,
  type Tuple,
  type Value,
} from './types.ts';

/** Error in a line of a job file. The message names the field. */
export class JobError extends Error {
  override readonly name = 'JobError';
}

/** Job of a job file, with its ID. */
export interface NamedJob {
  readonly id: string | number;
  readonly job: Job;
}

const FIELDS = ['id', 'program', 'entry', 'tests', 'fuel'];

/**
 * Reads a line of a job file: {"id", "program", "entry", "tests": [{"args": [...], "expected": ...}], "fuel"?}.
 *
 * A number with a point or an exponent is a float; any other number is an int of any size. In expectations, an array
 * matches a list or a tuple. `{"$tuple": [...]}`, `{"$set": [...]}`, `{"$dict": [[key, value], ...]}`, `{"$int": "12"}`
 * and `{"$float": "inf"}` denote values that JSON does not support.
 * @throws {JobError}
 */
export function readJob(line: string): NamedJob {
  const job = record(read(line), 'the line');
  for (const name of job.keys())
    if (!FIELDS.includes(name)) throw new JobError(`"${name}" is no field of a job; known: ${FIELDS.join(', ')}`);
  const id = job.get('id');
  if (typeof id !== 'string' && typeof id !== 'number') throw new JobError('"id" must be a string or a whole number');
  const program = text(job.get('program'), 'program');
  const entry = text(job.get('entry'), 'entry');
  if (!ENTRY.test(entry)) throw new JobError(`"entry" is "${entry}", which names no function`);
  const tests = list(job.get('tests'), 'tests').map((test, i) => {
    const fields = record(test, `tests[${i}]`);
    for (const name of fields.keys())
      if (name !== 'args' && name !== 'expected') throw new JobError(`tests[${i}]: "${name}" is no field of a test`);
    if (!fields.has('expected')) throw new JobError(`tests[${i}].expected is missing`);
    return {
      args: list(fields.get('args'), `tests[${i}].args`).map((arg, k) => value(arg, `tests[${i}].args[${k}]`)),
      expected: expectation(fields.get('expected') as Json, `tests[${i}].expected`),
    };
  });
  const fuel = job.get('fuel');
  if (fuel !== undefined && !(typeof fuel === 'number' && fuel > 0))
    throw new JobError('"fuel" must be a whole number above 0');
  if (tests.length === 0) throw new JobError('"tests" must hold at least one test');
  return { id, job: { program, entry, tests, ...(fuel === undefined ? {} : { limits: { fuel } }) } };
}

/** Reads a value in the notation of job files. @throws {JobError} with `field` in the message */
export function readValue(source: string, field = 'value'): Value {
  return value(read(source), field);
}

/** Reads an expectation in the notation of job files. An array matches a list or a tuple. @throws {JobError} */
export function readExpected(source: string, field = 'expected'): Expected {
  return expectation(read(source), field);
}

function read(source: string): Json {
  try {
    return parseJson(source);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new JobError(`not JSON: ${error.message}`);
  }
}

function text(json: Json | undefined, field: string): string {
  if (typeof json !== 'string') throw new JobError(`"${field}" must be a string`);
  return json;
}

function list(json: Json | undefined, field: string): readonly Json[] {
  if (!Array.isArray(json)) throw new JobError(`"${field}" must be an array`);
  return json;
}

function record(json: Json | undefined, field: string): ReadonlyMap<string, Json> {
  if (!(json instanceof Map)) throw new JobError(`"${field}" must be an object`);
  return json;
}

const value = (json: Json, field: string) => convert<Value>(json, field, (items) => items);
const expectation = (json: Json, field: string) => convert<Expected>(json, field, (items) => ({ sequence: items }));

/** Converts JSON to a value or an expectation. The two notations differ only in the meaning of an array. */
function convert<T extends Value | Expected>(json: Json, field: string, array: (items: readonly T[]) => T): T {
  const all = (items: readonly Json[], where: string) => items.map((item, i) => convert(item, `${where}[${i}]`, array));
  const typed = (built: Scalar | readonly T[] | Tuple<T> | SetValue<T> | Dict<T>) => built as T;
  if (json === null || typeof json !== 'object') return typed(json);
  if (Array.isArray(json)) return array(all(json, field));
  if (!(json instanceof Map)) return typed(json as { float: number });
  const [special] = json.keys();
  if (special === undefined || !special.startsWith('$')) {
    return typed({
      dict: [...json].map(([key, item]) => [key as T, convert(item, `${field}.${key}`, array)] as const),
    });
  }
  if (json.size > 1) throw new JobError(`${field}: "${special}" must be the only field of its object`);
  const inside = json.get(special) as Json;
  const where = `${field}.${special}`;
  switch (special) {
    case '$tuple':
      return typed({ tuple: all(list(inside, where), where) });
    case '$set':
      return typed({ set: all(list(inside, where), where).map((item, i) => hashable(item, `${where}[${i}]`)) });
    case '$dict':
      return typed({
        dict: list(inside, where).map((entry, i) => {
          const [key, item, ...more] = list(entry, `${where}[${i}]`);
          if (item === undefined || more.length > 0) throw new JobError(`${where}[${i}] must be [key, value]`);
          const keyField = `${where}[${i}][0]`;
          return [
            hashable(convert(key, keyField, array), keyField),
            convert(item, `${where}[${i}][1]`, array),
          ] as const;
        }),
      });
    case '$int':
      return typed(readInt(text(inside, where), where));
    case '$float':
      return typed({ float: readFloat(text(inside, where), where) });
    default:
      throw new JobError(`${field}: "${special}" is not one of $tuple, $set, $dict, $int, $float`);
  }
}

/** Checks that a value can be in a set or a key of a dict. @throws {JobError} for lists, sets and dicts (no hash) */
function hashable<T extends Value | Expected>(item: T, field: string): T {
  if (typeof item !== 'object' || item === null || 'float' in item) return item;
  const kind = Array.isArray(item) ? 'list' : 'set' in item ? 'set' : 'dict' in item ? 'dict' : undefined;
  if (kind) throw new JobError(`${field}: a ${kind} cannot be in a set or a key of a dict; write {"$tuple": [...]}`);
  const { tuple, sequence = [] } = item as { readonly tuple?: readonly T[]; readonly sequence?: readonly T[] };
  for (const [i, inner] of (tuple ?? sequence).entries()) hashable(inner, `${field}[${i}]`);
  return item;
}

function readInt(source: string, field: string): number | bigint {
  if (!/^[+-]?\d+$/.test(source)) throw new JobError(`${field}: "${source}" is no whole number`);
  const int = BigInt(source.replace(/^\+/, ''));
  return BigInt(Number(int)) === int && Number.isSafeInteger(Number(int)) ? Number(int) : int;
}

function readFloat(source: string, field: string): number {
  const named = /^([+-]?)(inf|infinity|nan)$/i.exec(source);
  if (named)
    return (named[1] === '-' ? -1 : 1) * (named[2].toLowerCase() === 'nan' ? Number.NaN : Number.POSITIVE_INFINITY);
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(source)) throw new JobError(`${field}: "${source}" is no float`);
  return Number(source);
}
