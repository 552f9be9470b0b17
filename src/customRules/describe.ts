import type { Parameter } from '../parameters/parameters.ts';
import type { Value } from '../sandbox/types.ts';

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
  const value = numberOf(given);
  if (value === undefined) throw new Error(`parameter ${name} has no number as its default`);
  const bounded = { kind: 'number', default: value, min: low, max: high, ...common } as const;
  if (kind === 'whole') return { ...bounded, step: 1, integer: true };
  return { ...bounded, step: high - low <= STEPS ? (high - low) / STEPS : 0.01 };
}

function textOf(value: Value | undefined): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: Value | undefined): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'object' && value !== null && 'float' in value ? value.float : undefined;
}
