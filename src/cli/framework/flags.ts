import {
  allowed,
  type NumberParameter,
  type Parameter,
  ParameterError,
  parseParameter,
} from '../../parameters/parameters.ts';
import { UsageError } from './errors.ts';

/** Typed flag. Parsing, error messages and `--help` all derive from its type, default, allowed values and help. */
export interface Flag<Value> {
  readonly kind: 'switch' | 'value' | 'list';
  /** Placeholder of the value in the help, for example FILE; empty for a switch. */
  readonly placeholder: string;
  readonly help: string;
  /** Description of the allowed values, in words. */
  readonly allowed?: string;
  /** Value if the flag is absent. */
  readonly fallback: Value;
  /**
   * Returns the value of the flag after one more occurrence.
   * @throws {UsageError} with the flag and its allowed values
   */
  add(before: Value, text: string, name: string): Value;
}

// biome-ignore lint/suspicious/noExplicitAny: a table holds flags of any type, and FlagValues finds each again.
export type FlagTable = Readonly<Record<string, Flag<any>>>;

/** Values of the flags of a table, each with the type of its flag. */
export type FlagValues<Table extends FlagTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Flag<infer Value> ? Value : never;
};

/** Creates a flag without a value. */
export function toggle(help: string): Flag<boolean> {
  return { kind: 'switch', placeholder: '', help, fallback: false, add: () => true };
}

/** Creates a flag with any text as its value, usually a file name. */
export function text(placeholder: string, help: string): Flag<string | undefined>;
export function text(placeholder: string, help: string, fallback: string): Flag<string>;
export function text(placeholder: string, help: string, fallback?: string): Flag<string | undefined> {
  return {
    kind: 'value',
    placeholder,
    help,
    fallback,
    add(_, given, name) {
      if (given === '') throw new UsageError(`--${name}: the value is empty; it needs ${placeholder}`);
      return given;
    },
  };
}

/** Returns a flag whose value is undefined if the flag is absent. */
export function optional<Value>(flag: Flag<Value>): Flag<Value | undefined> {
  return { ...flag, fallback: undefined } as Flag<Value | undefined>;
}

/** Creates a flag for a whole number in a closed range. */
export function integerFlag(help: string, range: { min: number; max: number; default: number }): Flag<number> {
  return number({ kind: 'number', name: '', label: '', integer: true, step: 1, help, ...range });
}

/** Creates a flag for a number of a parameter table. */
export function number(parameter: NumberParameter): Flag<number> {
  return { ...parameterFlag(parameter), fallback: parameter.default } as Flag<number>;
}

/** Creates a flag for one of several names. */
export function choice<Option extends string>(
  help: string,
  options: readonly Option[],
  fallback: NoInfer<Option>,
): Flag<Option> {
  return parameterFlag({ kind: 'choice', name: '', label: '', default: fallback, options, help }) as Flag<Option>;
}

/** Creates the flag of a parameter. Its fallback is the parameter's default. */
export function parameterFlag(parameter: Parameter): Flag<number | string> {
  return {
    kind: 'value',
    placeholder: placeholderOf(parameter),
    help: parameter.help,
    allowed: allowed(parameter),
    fallback: parameter.default,
    add: (_, given, name) => named(name, () => parseParameter([{ ...parameter, name }], name, given)),
  };
}

function placeholderOf(parameter: Parameter): string {
  switch (parameter.kind) {
    case 'choice':
      return 'NAME';
    case 'boolean':
      return 'true|false';
    case 'list':
      return 'N,N';
    case 'number':
      return parameter.integer ? 'N' : 'X';
  }
}

/** Creates a flag that can occur several times. `read` converts the text of an occurrence into an entry. */
export function list<Entry>(placeholder: string, help: string, read: (text: string) => Entry): Flag<readonly Entry[]> {
  return {
    kind: 'list',
    placeholder,
    help,
    fallback: [],
    add: (before, given, name) => [...before, named(`${name} ${given}`, () => read(given))],
  };
}

/** Creates a flag for several of the given names, separated by commas. */
export function choiceListFlag(
  help: string,
  options: readonly string[],
  fallback: readonly string[],
): Flag<readonly string[]> {
  return {
    kind: 'value',
    placeholder: 'NAMES',
    help,
    allowed: `one or more of ${options.join(', ')}, separated by commas`,
    fallback,
    add(_, given, name) {
      const names = given.split(',').map((item) => item.trim());
      const bad = names.find((item) => !options.includes(item));
      if (bad !== undefined) throw new UsageError(`--${name}: "${bad}" is not one of ${options.join(', ')}`);
      if (new Set(names).size < names.length) throw new UsageError(`--${name}: "${given}" has a name twice`);
      return names;
    },
  };
}

/**
 * Creates a flag for several whole numbers, separated by commas. Its value is sorted, without duplicates, and empty if
 * the flag is absent.
 */
export function integerListFlag(help: string, range: { min: number; max: number }): Flag<readonly number[]> {
  const allowed = `whole numbers from ${range.min} to ${range.max}, separated by commas`;
  return {
    kind: 'value',
    placeholder: 'N,N',
    help,
    allowed,
    fallback: [],
    add(_, given, name) {
      const numbers = given.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
      if (numbers.every((value) => Number.isInteger(value) && value >= range.min && value <= range.max)) {
        return [...new Set(numbers)].sort((a, b) => a - b);
      }
      throw new UsageError(`--${name}: "${given}" is not ${allowed}`);
    },
  };
}

/** Calls `read` and returns its result. An error of a parameter table becomes an error about the flag. */
export function named<Result>(flag: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ParameterError || error instanceof UsageError)) throw error;
    const isPrefixed = error.message.startsWith(`${flag}: `);
    throw new UsageError(isPrefixed ? `--${error.message}` : `--${flag}: ${error.message}`);
  }
}
