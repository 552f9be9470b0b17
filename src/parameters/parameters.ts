/**
 * Typed parameter tables. One object per parameter has its type, default, range, symbol and help. The page's controls,
 * the terminal's flags, the keys of the URL and the error messages all derive from it.
 */

/** Fields that every parameter has. */
interface Named {
  /** Key in URLs, flags and files, camelCase. */
  readonly name: string;
  /**
   * Key among the controls of a run, if several rules use a name with different meanings or defaults (gamma). `name` if
   * absent. false if a run does not have the parameter.
   */
  readonly control?: string | false;
  /**
   * True if another parameter provides the value when this one is missing, as a profile does for its constants.
   * `valuesOf` then returns undefined, and the page displays `default`.
   */
  readonly optional?: true;
}

/** Real or whole number in a closed range. */
export interface NumberParameter extends Named {
  readonly kind: 'number';
  /** Short displayed label. */
  readonly label: string;
  /** Symbol in the paper. Absent if the paper has no symbol. */
  readonly symbol?: string;
  readonly default: number;
  readonly min: number;
  readonly max: number;
  /** Step of a slider. A whole number if `integer` is true. */
  readonly step: number;
  readonly integer?: boolean;
  /** Scale of a slider. */
  readonly scale?: 'linear' | 'log';
  /** Effect of the parameter and of its extreme values, in one sentence. */
  readonly help: string;
}

/** One of several named options. */
export interface ChoiceParameter extends Named {
  readonly kind: 'choice';
  readonly label: string;
  readonly symbol?: string;
  readonly default: string;
  readonly options: readonly string[];
  /** Displayed names of options whose values are not plain words. Links, files and flags have the values. */
  readonly optionLabels?: Readonly<Record<string, string>>;
  /** Returns true for an allowed value that is not an option: a custom rule, a text. */
  readonly accepts?: (text: string) => boolean;
  readonly help: string;
}

/** Boolean. URLs, files and configurations have the text `true` or `false`. */
export interface BooleanParameter extends Named {
  readonly kind: 'boolean';
  readonly label: string;
  readonly symbol?: string;
  readonly default: 'true' | 'false';
  readonly help: string;
}

/** List of whole numbers from 1, one per level: `4/8`. Input can have commas. The empty list is the empty text. */
export interface ListParameter extends Named {
  readonly kind: 'list';
  readonly label: string;
  readonly symbol?: string;
  readonly default: string;
  /** Maximum value of each number. */
  readonly max: number;
  /** Maximum length of the list. */
  readonly maximum: number;
  readonly help: string;
}

export type Parameter = NumberParameter | ChoiceParameter | BooleanParameter | ListParameter;
export type ParameterTable = readonly Parameter[];
/** Value as it is stored in URLs, files and configurations. A list is a text, and a boolean is `true` or `false`. */
export type ParameterValue = number | string;
export type ParameterValues = Readonly<Record<string, ParameterValue>>;

/**
 * Stored values of a table by name. In a table declared `as const`, the value of a choice has the type of its options.
 */
export type StoredValues<Table extends ParameterTable> = {
  readonly [P in Table[number] as P['name']]: P extends NumberParameter
    ? number
    : P extends ChoiceParameter
      ? P['options'][number]
      : P extends BooleanParameter
        ? 'true' | 'false'
        : string;
};

/** Values of a table for computations, by name (`valuesOf`). */
export type Values<Table extends ParameterTable> = {
  readonly [P in Table[number] as P['name']]: Value<P> | (P extends { readonly optional: true } ? undefined : never);
};

/** Number, option of a choice declared `as const`, boolean, or list of numbers. */
type Value<P> = P extends NumberParameter
  ? number
  : P extends ChoiceParameter
    ? P['options'][number]
    : P extends BooleanParameter
      ? boolean
      : readonly number[];

/** Error for a value that a table does not allow. The message has the parameter, the value and the allowed values. */
export class ParameterError extends Error {
  constructor(
    readonly parameter: string,
    message: string,
  ) {
    super(message);
    this.name = 'ParameterError';
  }
}

/** Returns the displayed name of an option. */
export function optionLabel({ optionLabels }: Pick<ChoiceParameter, 'optionLabels'>, option: string): string {
  return optionLabels?.[option] ?? option;
}

/** Describes in words the values that a parameter allows: "a number from 0 to 1", "one of std, none". */
export function allowed(parameter: Parameter): string {
  if (parameter.kind === 'choice') return `one of ${parameter.options.join(', ')}`;
  if (parameter.kind === 'boolean') return 'one of true, false';
  if (parameter.kind === 'list') {
    return `up to ${parameter.maximum} whole numbers from 1 to ${parameter.max}, as in 4,8, or nothing`;
  }
  const noun = parameter.integer ? 'a whole number' : 'a number';
  return `${noun} from ${parameter.min} to ${parameter.max}`;
}

/** Returns the defaults of a table. */
export function defaults(table: ParameterTable): Record<string, ParameterValue> {
  return Object.fromEntries(table.map((parameter) => [parameter.name, parameter.default]));
}

/**
 * Returns the maximum of a number in a table.
 * @throws {ParameterError} if the table has no such number
 */
export function largest(table: ParameterTable, name: string): number {
  const parameter = table.find((candidate) => candidate.name === name);
  if (parameter?.kind !== 'number') throw new ParameterError(name, `there is no number "${name}"`);
  return parameter.max;
}

/** Returns the numbers of a list from its stored form. */
function listNumbers(text: string): readonly number[] {
  return text === '' ? [] : text.split('/').map(Number);
}

/** Returns the stored form of a boolean, or undefined for any other value. */
function parseBoolean(value: unknown): 'true' | 'false' | undefined {
  if (value === true || value === 'true') return 'true';
  return value === false || value === 'false' ? 'false' : undefined;
}

/** Returns the stored form of a list, or undefined if the parameter does not allow it. */
function parseList(parameter: ListParameter, value: unknown): string | undefined {
  const parts = Array.isArray(value) ? value : String(value).split(/[,/]/);
  const numbers = parts.map((part) => String(part).trim()).filter((part, index) => part !== '' || index > 0);
  const fits = numbers.every((part) => /^[1-9]\d*$/.test(part) && Number(part) <= parameter.max);
  return fits && numbers.length <= parameter.maximum ? numbers.join('/') : undefined;
}

/**
 * Parses one value, which is a text, a number, or a list of numbers.
 * @throws {ParameterError} for a name that the table lacks or a value that it does not allow
 */
export function parseParameter(table: ParameterTable, name: string, value: unknown): ParameterValue {
  const parameter = table.find((candidate) => candidate.name === name);
  if (!parameter) {
    const names = table.map((candidate) => candidate.name).join(', ');
    throw new ParameterError(name, `unknown parameter "${name}"; known: ${names}`);
  }
  if (parameter.kind === 'boolean') {
    const parsed = parseBoolean(value);
    if (parsed !== undefined) return parsed;
  } else if (parameter.kind === 'choice') {
    const option = typeof value === 'boolean' ? String(value) : value;
    if (typeof option === 'string' && isAccepted(parameter, option)) return option;
  } else if (parameter.kind === 'list') {
    const list = typeof value === 'string' || Array.isArray(value) ? parseList(parameter, value) : undefined;
    if (list !== undefined) return list;
  } else {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    const fits =
      typeof number === 'number' &&
      Number.isFinite(number) &&
      number >= parameter.min &&
      number <= parameter.max &&
      (!parameter.integer || Number.isInteger(number));
    if (fits) return number;
  }
  throw createError(parameter, value);
}

function isAccepted({ options, accepts }: ChoiceParameter, option: string): boolean {
  return options.includes(option) || accepts?.(option) === true;
}

function createError(parameter: Parameter, value: unknown): ParameterError {
  const { name } = parameter;
  return new ParameterError(name, `${name}: ${JSON.stringify(value)} is not ${allowed(parameter)}`);
}

/**
 * Parses the given values in their order, without adding defaults.
 * @throws {ParameterError} for a name that the table lacks or a value that it does not allow
 */
export function parseParameters(
  table: ParameterTable,
  values: Readonly<Record<string, unknown>>,
): Record<string, ParameterValue> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, parseParameter(table, name, value)]));
}

/**
 * Reads the values of a table. Missing values have their defaults.
 * @throws {ParameterError} for a name that the table lacks or a value that it does not allow
 */
export function readParameters<const Table extends ParameterTable>(
  table: Table,
  values: Readonly<Record<string, unknown>>,
): StoredValues<Table> {
  return { ...defaults(table), ...parseParameters(table, values) } as StoredValues<Table>;
}

/**
 * Selects the values of a table from the values of several tables. Other names are ignored, and missing values have
 * their defaults.
 * @throws {ParameterError} for a value that the table does not allow
 */
export function pickParameters<const Table extends ParameterTable>(
  table: Table,
  values: Readonly<Record<string, unknown>>,
): StoredValues<Table> {
  const picked = table.map((parameter) => [
    parameter.name,
    parseParameter(table, parameter.name, values[parameter.name] ?? parameter.default),
  ]);
  return Object.fromEntries(picked) as StoredValues<Table>;
}

/**
 * Returns the values of a table for computations, from values in their stored form. Other names are ignored. Missing
 * values have their defaults, or are undefined if they are optional. Ranges are not checked, because `parseParameter`
 * checks external values.
 * @throws {ParameterError} for a value of another kind, or an option that the choice does not have
 */
export function valuesOf<const Table extends ParameterTable>(table: Table, stored: ParameterValues): Values<Table> {
  const values: Record<string, Value<Parameter> | undefined> = {};
  for (const parameter of table) {
    const storedValue = stored[parameter.name];
    values[parameter.name] =
      storedValue === undefined && parameter.optional ? undefined : typed(parameter, storedValue);
  }
  return values as Values<Table>;
}

function typed(parameter: Parameter, stored: ParameterValue = parameter.default): Value<Parameter> {
  if (parameter.kind === 'number') {
    if (typeof stored === 'number') return stored;
  } else if (parameter.kind === 'choice') {
    if (typeof stored === 'string' && isAccepted(parameter, stored)) return stored;
  } else if (parameter.kind === 'boolean') {
    const value = parseBoolean(stored);
    if (value !== undefined) return value === 'true';
  } else {
    const list = parseList(parameter, stored);
    if (list !== undefined) return listNumbers(list);
  }
  throw createError(parameter, stored);
}

/**
 * Clamps a value to the range of its parameter. Returns the default for a value that cannot be clamped, for example
 * from a URL.
 */
export function clampParameter(parameter: Parameter, value: unknown): ParameterValue {
  if (parameter.kind === 'choice') {
    return typeof value === 'string' && isAccepted(parameter, value) ? value : parameter.default;
  }
  if (parameter.kind === 'boolean') return parseBoolean(value) ?? parameter.default;
  if (parameter.kind === 'list') return parseList(parameter, value ?? '') ?? parameter.default;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || Number.isNaN(number)) return parameter.default;
  const clamped = Math.min(parameter.max, Math.max(parameter.min, number));
  return parameter.integer ? Math.round(clamped) : clamped;
}
