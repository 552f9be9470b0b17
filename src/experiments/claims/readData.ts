import type { ParameterValue } from '../../parameters/parameters.ts';
import { show } from '../../rollouts/quoting.ts';

// Readers of data files. Each reader returns a value of its type or throws an error with the file and the position.

/** Error in a data file. The message begins with the file and the position. */
export class DataError extends Error {}

/** Reader of a value. @param position file and position, for example `t.json: claims[t1].says` @throws {DataError} */
export type Read<T> = (value: unknown, position: string) => T;

function reader<T>(noun: string, fits: (value: unknown) => value is T): Read<T> {
  return (value, position) => {
    if (fits(value)) return value;
    throw new DataError(`${position} ${value === undefined ? 'is missing' : `is ${show(value)}, not ${noun}`}`);
  };
}

export const text = reader('a text', (value): value is string => typeof value === 'string' && value.trim() !== '');
export const number = reader('a number', (value): value is number => Number.isFinite(value));
export const count = reader(
  'a whole number from 0',
  (value): value is number => Number.isInteger(value) && Number(value) >= 0,
);
export const flag = reader('true', (value): value is true => value === true);
export const parameter = reader(
  'a number or a text',
  (value): value is ParameterValue => Number.isFinite(value) || typeof value === 'string',
);
const list = reader('a list', (value): value is readonly unknown[] => Array.isArray(value));
const record = reader(
  'an object',
  (value): value is Readonly<Record<string, unknown>> =>
    typeof value === 'object' && value !== null && !Array.isArray(value),
);

export function enumOf<const Name extends string>(...names: readonly Name[]): Read<Name> {
  return reader(`one of ${names.join(', ')}`, (value): value is Name => names.includes(value as Name));
}

/** Creates a reader of a list. @param by field that names the entries in messages; by default their index */
export function listOf<T>(read: Read<T>, by?: string): Read<readonly T[]> {
  return (value, position) =>
    list(value, position).map((entry, index) => {
      const name = by === undefined ? undefined : (entry as Readonly<Record<string, unknown>> | null)?.[by];
      return read(entry, `${position}[${typeof name === 'string' ? name : index}]`);
    });
}

export function recordOf<T>(read: Read<T>): Read<Readonly<Record<string, T>>> {
  return (value, position) =>
    Object.fromEntries(
      Object.entries(record(value, position)).map(([name, entry]) => [name, read(entry, `${position}.${name}`)]),
    );
}

/** Readers of fields by name. Fields with a name that ends in `?` are optional. */
type Fields = Readonly<Record<string, Read<unknown>>>;
type ObjectOf<F extends Fields> = {
  readonly [Name in keyof F as Name extends `${string}?` ? never : Name]: ReturnType<F[Name]>;
} & {
  readonly [Name in keyof F as Name extends `${infer Optional}?` ? Optional : never]?: ReturnType<F[Name]>;
};

/** Creates a reader of an object that has these fields and no other fields. */
export function object<F extends Fields>(fields: F): Read<ObjectOf<F>> {
  const known = Object.entries(fields).map(([key, read]) => ({
    name: key.replace(/\?$/, ''),
    optional: key.endsWith('?'),
    read,
  }));
  return (value, position) => {
    const given = record(value, position);
    const at = (name: string) => (/\.json$/.test(position) ? `${position}: ${name}` : `${position}.${name}`);
    const unknown = Object.keys(given).find((name) => !known.some((field) => field.name === name));
    if (unknown !== undefined)
      throw new DataError(`${at(unknown)} is unknown; fields: ${known.map(({ name }) => name).join(', ')}`);
    const entries = known.flatMap(({ name, optional, read }) =>
      optional && given[name] === undefined ? [] : [[name, read(given[name], at(name))] as const],
    );
    return Object.fromEntries(entries) as ObjectOf<F>;
  };
}
