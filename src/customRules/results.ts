import type { LimitKind, Outcome, Value } from '@turnwise/python-sandbox/types';
import { type CustomRuleResult, type Numbers, resultOf } from '../credit/rules/custom/customRule.ts';
import type { Parameter } from '../parameters/parameters.ts';
import type { Group } from '../rollouts/forest.ts';
import { quoted } from '../rollouts/quoting.ts';

/** Location of an error in a custom rule. Unknown parts are undefined. */
export interface CustomRuleLocation {
  readonly file: string;
  /** Line of the file, starting at 1. */
  readonly line?: number | undefined;
  readonly group?: string | undefined;
  /** Index of the turn in its group, starting at 0. */
  readonly turn?: number | undefined;
}

/**
 * Error of a custom rule with an invalid definition or result. The message has the known parts of the location: file,
 * line, group and turn.
 */
export class CustomRuleError extends Error {
  constructor(
    readonly location: CustomRuleLocation,
    /** Description of the error, without the location. */
    readonly problem: string,
  ) {
    const { file, line, group, turn } = location;
    const parts = [file];
    if (line !== undefined) parts.push(`line ${line}`);
    if (group !== undefined) parts.push(`group ${quoted(group)}`);
    if (turn !== undefined) parts.push(`turn ${turn}`);
    super(`${parts.join(', ')}: ${problem}`);
    this.name = 'CustomRuleError';
  }
}

const LIMIT_TEXTS: Readonly<Record<LimitKind, (fuel: number) => string>> = {
  fuel: (fuel) => `took more than ${fuel.toLocaleString('en')} steps for a batch`,
  time: () => 'took more than a minute for a batch',
  memory: () => 'needs more memory than there is',
  stack: () => 'calls itself too deeply',
  source: () => 'is too long',
  result: () => 'returned more than a batch can hold',
};

/**
 * Returns the value of an outcome.
 * @throws {CustomRuleError} for an outcome without a value
 */
export function returnedBy(outcome: Outcome, position: CustomRuleLocation, fuel: number): Value {
  switch (outcome.kind) {
    case 'value':
      return outcome.value;
    case 'error':
      throw new CustomRuleError(position, `${outcome.error.type}: ${outcome.error.message}`);
    case 'limit':
      throw new CustomRuleError(position, LIMIT_TEXTS[outcome.limit](fuel));
    case 'violation':
      throw new CustomRuleError(position, `tried to leave the sandbox (${outcome.reason})`);
  }
}

/** Returns the failure that a program in the sandbox reports, or undefined if it reports no failure. */
export function failureOf(
  fields: ReadonlyMap<string, Value>,
  file: string,
  { line, group }: { readonly line?: number | undefined; readonly group?: string | undefined } = {},
): CustomRuleError | undefined {
  const problem = fields.get('problem');
  if (typeof problem !== 'string') return undefined;
  const position = { file, line: integerOf(fields.get('line')) ?? line, group, turn: integerOf(fields.get('turn')) };
  return new CustomRuleError(position, problem.slice(0, 400));
}

/** Returns an integer of the driver, such as a line or a turn; undefined for any other value. */
export function integerOf(value: Value | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Error in the value that a rule returned. */
export class ResultError extends Error {
  constructor(
    problem: string,
    readonly turn?: number,
  ) {
    super(problem);
    this.name = 'ResultError';
  }
}

/**
 * Reads the value that `credit` returned: a list, or a pair of a list and named intermediate values. Only exact types
 * are accepted, so that no object with a custom numeric behaviour enters a training run. The package's result.py
 * computes the same result for the same value.
 * @throws {ResultError} with the turn
 */
export function readResult(returned: Value, { turns }: Group): CustomRuleResult {
  const [list, named] = pairOf(returned);
  const items = itemsOf(list);
  if (!items) throw new ResultError(`must return a list with an advantage for each turn, not ${kindOf(list)}`);
  if (items.length !== turns.length) {
    throw new ResultError(`returned ${items.length} advantages for ${turns.length} turns`);
  }
  const advantage = items.map((value, turn) => advantageOf(value, turn, turns[turn].tokens));
  const lists = advantage.findIndex((value) => Array.isArray(value));
  if (lists >= 0 && advantage.some((value) => typeof value === 'number')) {
    throw new ResultError('some turns have one advantage and others a list', lists);
  }
  turns.forEach(({ parent }, turn) => {
    if (advantage[turn] === null || parent < 0 || advantage[parent] !== null) return;
    throw new ResultError(`has an advantage although turn ${parent}, which it continues, is pruned (None)`, turn);
  });
  return { advantage, intermediate: Object.fromEntries(named.map(([name, value]) => namedValue(name, value))) };
}

function pairOf(returned: Value): readonly [Value, readonly (readonly [Value, Value])[]] {
  if (isRecord(returned) && 'tuple' in returned && returned.tuple.length === 2) {
    const [first, second] = returned.tuple;
    if (isRecord(second) && 'dict' in second) return [first, second.dict];
  }
  return [returned, []];
}

function advantageOf(value: Value, turn: number, tokens: number | undefined): CustomRuleResult['advantage'][number] {
  if (value === null) return null;
  const items = itemsOf(value);
  if (!items) return finite(value, turn, '');
  if (tokens !== undefined && items.length !== tokens) {
    throw new ResultError(`${items.length} advantages for ${tokens} tokens`, turn);
  }
  return items.map((item, token) => finite(item, turn, ` of token ${token}`));
}

function finite(value: Value, turn: number, suffix: string): number {
  const number = numberOf(value);
  if (number === undefined) throw new ResultError(`the advantage${suffix} is ${kindOf(value)}, not a number`, turn);
  if (Number.isFinite(number)) return number;
  throw new ResultError(`the advantage${suffix} is ${Number.isNaN(number) ? 'NaN' : 'infinite'}`, turn);
}

/** Fields of a credit line that cannot be names of intermediate values. The package's result.py has the same list. */
const LINE_FIELDS: readonly string[] = ['id', 'advantage', 'advantages'];

function namedValue(name: Value, value: Value): readonly [string, Numbers] {
  if (typeof name !== 'string')
    throw new ResultError(`intermediate values need names that are texts, not ${kindOf(name)}`);
  if (LINE_FIELDS.includes(name)) throw new ResultError(`an intermediate value cannot be named '${name}'`);
  return [name, numbersOf(name, value)];
}

function numbersOf(name: string, value: Value): Numbers {
  if (value === null) return null;
  const items = itemsOf(value);
  if (items) return items.map((item) => numbersOf(name, item));
  const number = numberOf(value);
  if (number === undefined) throw new ResultError(`intermediate value '${name}' holds ${kindOf(value)}, not numbers`);
  return Number.isFinite(number) ? number : null;
}

/** Returns the number of an int or float, or undefined for any other value, including a bool. */
export function numberOf(value: Value | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return value !== undefined && isRecord(value) && 'float' in value ? value.float : undefined;
}

function itemsOf(value: Value): readonly Value[] | undefined {
  if (Array.isArray(value)) return value as readonly Value[];
  return isRecord(value) && 'tuple' in value ? value.tuple : undefined;
}

function isRecord(value: Value): value is Exclude<Value, null | boolean | number | bigint | string | readonly Value[]> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the name of a value's Python type for a message: "a str", "None". */
function kindOf(value: Value): string {
  if (value === null) return 'None';
  const named = { boolean: 'bool', string: 'str', number: 'int', bigint: 'int' } as const;
  if (typeof value !== 'object') return `a ${named[typeof value as keyof typeof named]}`;
  if (Array.isArray(value)) return 'a list';
  if (!isRecord(value)) return 'nothing';
  return `a ${'typeName' in value ? value.typeName : Object.keys(value)[0]}`;
}

/** Description of a rule in its file. */
export interface CustomRuleDescription {
  /** Line of `def credit`, starting at 1. */
  readonly line: number;
  /** Docstring at the head of the file. */
  readonly doc: string;
  /** Parameters from the arguments of `credit`. */
  readonly parameters: readonly Parameter[];
  /** True if the file has a function `worked`. */
  readonly explains: boolean;
}

/** Absolute bound of a parameter without declared bounds. */
const FAR = 1e9;
const STEPS = 100;
const LONGEST_TEXT = 200;

/**
 * Reads the description of a rule from the driver.
 * @throws {Error} for an invalid description, which the rule returned instead of the driver
 */
export function readDescription(fields: ReadonlyMap<string, Value>): CustomRuleDescription {
  const [line, doc, parameters] = [fields.get('line'), fields.get('doc'), fields.get('parameters')];
  if (typeof line !== 'number' || typeof doc !== 'string' || !Array.isArray(parameters))
    throw new Error('no description');
  const parsed = (parameters as readonly Value[]).map((entry) => readParameter(fieldsOf(entry)));
  return { line, doc, parameters: parsed, explains: fields.get('explains') === true };
}

/** Returns the fields of a dict whose keys are texts. Returns an empty map for any other value. */
export function fieldsOf(value: Value | undefined): ReadonlyMap<string, Value> {
  const isDict = typeof value === 'object' && value !== null && 'dict' in value;
  return new Map(isDict ? value.dict.filter((entry): entry is [string, Value] => typeof entry[0] === 'string') : []);
}

function readParameter(fields: ReadonlyMap<string, Value>): Parameter {
  const name = textOf(fields.get('name'));
  if (!/^\p{L}[\p{L}\p{N}_]*$/u.test(name)) throw new Error(`"${name}" is no name of a parameter`);
  const common = { name, label: name, help: textOf(fields.get('help')) };
  const [kind, given] = [fields.get('kind'), fields.get('default')];
  const [low, high] = [numberOf(fields.get('low')) ?? -FAR, numberOf(fields.get('high')) ?? FAR];
  if (kind === 'boolean') return { kind, default: given === true ? 'true' : 'false', ...common };
  if (kind === 'list') return { kind, default: textOf(given), maximum: low, max: high, ...common };
  if (kind === 'choice' || kind === 'text') {
    const value = textOf(given);
    const list = fields.get('options');
    const options = Array.isArray(list) ? list.map(textOf) : [value];
    const accepts = kind === 'text' ? { accepts: (text: string) => text.length <= LONGEST_TEXT } : {};
    return { kind: 'choice', default: value, options, ...accepts, ...common };
  }
  const value = typeof given === 'bigint' ? undefined : numberOf(given);
  if (value === undefined) throw new Error(`parameter ${name} has no number as its default`);
  const bounded = { kind: 'number', default: value, min: low, max: high, ...common } as const;
  if (kind === 'whole') return { ...bounded, step: 1, integer: true };
  return { ...bounded, step: high - low <= STEPS ? (high - low) / STEPS : 0.01 };
}

function textOf(value: Value | undefined): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Returns the result of a custom rule for a group as a line of JSON. The fields are id, `advantage` (or `advantages`,
 * with one list per turn), and the intermediate values of the rule. `python -m turnwise_rl credit` writes the same
 * bytes.
 * @throws {Error} for a group that was not computed
 */
export function formatCustomCreditLine(name: string, group: Group): string {
  const result = resultOf(name, group);
  if (!result || result instanceof Error) throw result ?? new Error(`group ${group.id} has not been computed`);
  const { advantage, intermediate }: CustomRuleResult = result;
  const lists = advantage.some((value) => Array.isArray(value));
  const fields = Object.entries({ [lists ? 'advantages' : 'advantage']: advantage, ...intermediate });
  const written = fields.map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{"id":${JSON.stringify(group.id)}${written.join('')}}\n`;
}
