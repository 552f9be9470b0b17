import {
  allowed,
  type NumberParameter,
  type Parameter,
  ParameterError,
  parseParameter,
} from '../../parameters/parameters.ts';
import { UsageError } from './errors.ts';

/**
 * Typed flags. One object per flag gives its type, default, what it allows and its help; parsing, messages and
 * `--help` are all made from it.
 */
export interface Flag<Value> {
  readonly kind: 'switch' | 'value' | 'list';
  /** Placeholder of the value in the help, for example FILE; empty for a switch. */
  readonly placeholder: string;
  readonly help: string;
  /** Description of the allowed values, in words. */
  readonly allowed?: string;
  /** The value where the flag is not given. */
  readonly fallback: Value;
  /**
   * The flag's value after one more occurrence.
   * @throws {UsageError} naming the flag and what it allows
   */
  add(before: Value, text: string, name: string): Value;
}

// biome-ignore lint/suspicious/noExplicitAny: a table holds flags of any type, and FlagValues finds each again.
export type FlagTable = Readonly<Record<string, Flag<any>>>;

/** The values of a table's flags, each of its flag's type. */
export type FlagValues<Table extends FlagTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Flag<infer Value> ? Value : never;
};

/** A flag without a value. */
export function toggle(help: string): Flag<boolean> {
  return { kind: 'switch', placeholder: '', help, fallback: false, add: () => true };
}

/** A flag with any text, usually a file's name. */
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

/** A whole number inside a closed range. */
export function integerFlag(help: string, range: { min: number; max: number; default: number }): Flag<number> {
  return number({ kind: 'number', name: '', label: '', integer: true, step: 1, help, ...range });
}

/** A number of a parameter table, with its default. */
export function number(parameter: NumberParameter): Flag<number> {
  return { ...parameterFlag(parameter), fallback: parameter.default } as Flag<number>;
}

/** One of a few words. */
export function choice<Option extends string>(
  help: string,
  options: readonly Option[],
  fallback: NoInfer<Option>,
): Flag<Option> {
  return parameterFlag({ kind: 'choice', name: '', label: '', default: fallback, options, help }) as Flag<Option>;
}

/** A flag of a parameter table. Its fallback is the parameter's default. */
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

/** A flag that may be given several times; `read` makes one entry out of one text. */
export function list<Entry>(placeholder: string, help: string, read: (text: string) => Entry): Flag<readonly Entry[]> {
  return {
    kind: 'list',
    placeholder,
    help,
    fallback: [],
    add: (before, given, name) => [...before, named(`${name} ${given}`, () => read(given))],
  };
}

/** Several of a few words, separated by commas. */
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

/** Several whole numbers, separated by commas; each once, rising. None where the flag is not given. */
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

/** Does something; what a parameter table refuses becomes a message about the flag. */
export function named<Result>(flag: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ParameterError || error instanceof UsageError)) throw error;
    const isPrefixed = error.message.startsWith(`${flag}: `);
    throw new UsageError(isPrefixed ? `--${error.message}` : `--${flag}: ${error.message}`);
  }
}
