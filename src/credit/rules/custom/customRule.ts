import type { ParameterValue } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { CreditError } from '../../creditError.ts';
import type { Credit, CreditRule } from '../../rule.ts';

/** Numbers of a rule, single or in nested lists; null if there is no number (None in Python). */
export type Numbers = number | null | readonly Numbers[];

/** Checked result of a Python rule for a group. */
export interface CustomRuleResult {
  /** Advantage of each turn [turns]: a number, a list with one number per token, or null for a pruned turn. */
  readonly advantage: readonly (number | null | readonly number[])[];
  readonly intermediate: Readonly<Record<string, Numbers>>;
}

/**
 * Results by group and rule name. The sandbox computes them asynchronously; all other code reads them synchronously.
 */
const results = new WeakMap<Group, Map<string, CustomRuleResult | Error>>();
const MAX_KNOWN = 64;
const known = new Map<string, CreditRule>();

/** Stores the result of a rule for a group, or the error of the rule. */
export function saveResult(name: string, group: Group, result: CustomRuleResult | Error): void {
  const ofGroup = results.get(group) ?? new Map<string, CustomRuleResult | Error>();
  results.set(group, ofGroup);
  // When the user types, a group that remains on the screen requires only the newest texts.
  if (ofGroup.size >= MAX_KNOWN) ofGroup.delete(ofGroup.keys().next().value as string);
  // The newest result is last.
  ofGroup.delete(name);
  ofGroup.set(name, result);
}

/** Returns the stored result of a rule for a group; undefined if the rule has not been computed. */
export function resultOf(name: string, group: Group): CustomRuleResult | Error | undefined {
  return results.get(group)?.get(name);
}

/** Derivations of a group's advantages, by rule name: [turns][lines]. */
const descriptions = new WeakMap<Group, Map<string, readonly (readonly string[])[]>>();

/**
 * Stores the derivation of a rule for a group. It replaces derivations of earlier rules, which are no longer needed.
 */
export function storeDerivation(name: string, group: Group, lines: readonly (readonly string[])[]): void {
  descriptions.set(group, new Map([[name, lines]]));
}

/** Returns the name of the most recently computed rule without an error for a group. */
export function findNewestCustomRule(group: Group): string | undefined {
  const all = [...(results.get(group) ?? [])];
  return all.findLast(([, result]) => !(result instanceof Error))?.[0];
}

/**
 * Returns the custom rule that a name encodes (encodeCustomRule). The sandbox (src/customRules) must compute its
 * results in advance. `credit` returns stored results and throws an error for a group without a stored result.
 * @throws {RangeError} for a name that encodes no rule
 */
export function getCustomRule(name: string): CreditRule {
  const before = known.get(name);
  if (before) return before;
  const customRule = decodeCustomRule(name);
  const rule = createRule(
    name,
    customRule.source,
    formatCustomRuleTitle(customRule),
    formatCustomRuleLabel(customRule),
  );
  if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value as string);
  known.set(name, rule);
  return rule;
}

/**
 * Constants of a rule's text and their allowed values. They are read from the text, because a run requires them before
 * the sandbox returns a result.
 */
const CONSTANTS = { BATCH: ['rollouts', 'tokens'], REWARDS: ['outcome', 'attempts'] } as const;

/**
 * Returns the value and the line of a constant in the text. Lines count from 1. Returns undefined if the text does not
 * set the constant.
 */
function constantOf(source: string, name: keyof typeof CONSTANTS) {
  const pattern = new RegExp(`^${name}\\s*=\\s*([^#]*)`);
  const values = source.split('\n').map((line) => pattern.exec(line)?.[1].trim());
  const index = values.findLastIndex((value) => value !== undefined);
  const value = values[index]?.replace(/^(["'])(.*)\1$/, '"$2"');
  return value === undefined || value === 'None' ? undefined : { line: index + 1, value };
}

/** Returns the line and the problem of a constant with an unknown value; undefined if all values are known. */
export function wrongConstant(source: string): { readonly line: number; readonly problem: string } | undefined {
  for (const name of ['BATCH', 'REWARDS'] as const) {
    const constant = constantOf(source, name);
    const [first, second] = CONSTANTS[name].map((value) => `"${value}"`);
    if (constant && constant.value !== first && constant.value !== second)
      return { line: constant.line, problem: `${name} is ${constant.value}, not ${first} or ${second}` };
  }
  return undefined;
}

/**
 * Returns the `batch` and the `rewards` that the text of a rule declares. It ignores unknown values (see
 * `wrongConstant`).
 */
export function declaredFields(source: string): Pick<CreditRule, 'batch' | 'rewards'> {
  const batch = CONSTANTS.BATCH.find((value) => constantOf(source, 'BATCH')?.value === `"${value}"`);
  const rewards = CONSTANTS.REWARDS.find((value) => constantOf(source, 'REWARDS')?.value === `"${value}"`);
  return { ...(batch ? { batch } : {}), ...(rewards ? { rewards } : {}) };
}

function createRule(name: string, source: string, title: string, label: string): CreditRule {
  const credit = (group: Group) => creditOf(name, title, group);
  return {
    ...declaredFields(source),
    ...{ name, title, fullName: title, label, given: true, family: 'other', unit: 'turn' },
    idea: 'A custom rule in Python.',
    paper: { title: '', reference: '', equation: '' },
    formula: [],
    // A rule that uses `trajectories` rejects trees.
    input: /\btrajectories\b/.test(source) ? 'trajectories' : 'forest',
    reads: [],
    parameters: [],
    example: { id: 'none', turns: [] },
    worked: (turn, group) => descriptions.get(group)?.get(name)?.[turn] ?? [],
    credit,
    // The values that a custom rule compares are unknown. A group gives no gradient if every advantage is 0.
    compared: (group) => [
      Float64Array.from([0, ...credit(group).advantage].filter((element) => !Number.isNaN(element))),
    ],
    stages: [],
    outputs: {},
  };
}

function creditOf(name: string, title: string, group: Group): Credit {
  const result = resultOf(name, group);
  if (result instanceof Error) throw result;
  if (!result) throw new CreditError(group.id, undefined, undefined, `${title} has not been computed yet`);
  return creditOfResult(result);
}

/** Converts a result to `Credit`. A list of token advantages becomes its mean. */
function creditOfResult({ advantage, intermediate }: CustomRuleResult): Credit {
  const named = Object.entries(intermediate).map(([key, value]) => [key, flat(value)] as const);
  return { advantage: Float64Array.from(advantage, numberOf), intermediate: Object.fromEntries(named) };
}

function numberOf(value: CustomRuleResult['advantage'][number]): number {
  if (value === null) return NaN;
  return typeof value === 'number' ? value : value.reduce((sum, element) => sum + element, 0) / value.length;
}

function flat(value: Numbers): Float64Array {
  const numbers = (element: Numbers): number[] =>
    typeof element === 'object' && element ? element.flatMap(numbers) : [element ?? NaN];
  return Float64Array.from(numbers(value));
}

/** Prefix of the names of custom rules. */
const PREFIX = 'own:';

/** Custom rule: a Python file with values of its parameters. */
export interface CustomRuleSource {
  /** Name of the file, for titles and messages: `my_rule.py`. */
  readonly file: string;
  /** Values by parameter name. Missing parameters have their defaults. */
  readonly values: Readonly<Record<string, ParameterValue>>;
  readonly source: string;
}

/** Maximum length of a rule's text [characters]. */
export const MAX_SOURCE_LENGTH = 60_000;
const MAX_NAME = 200;

/** Returns true if a rule name has the prefix of custom rules. */
export function isCustomRule(name: unknown): name is string {
  return typeof name === 'string' && name.startsWith(PREFIX);
}

/**
 * Encodes a custom rule as a rule name, with its text and its values. The rule can be created from the name alone.
 * Rules with equal names are equal.
 */
export function encodeCustomRule({ file, values, source }: CustomRuleSource): string {
  const sorted = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
  return PREFIX + JSON.stringify({ file, values: Object.fromEntries(sorted), source });
}

/** Decodes a custom rule from its name. @throws {RangeError} for a name that encodes no custom rule */
export function decodeCustomRule(name: string): CustomRuleSource {
  const fail = (message: string): never => {
    throw new RangeError(`a custom credit rule ${message}`);
  };
  let read: Partial<CustomRuleSource> | null = null;
  try {
    read = JSON.parse(name.slice(PREFIX.length)) as Partial<CustomRuleSource> | null;
  } catch {
    fail('is not JSON');
  }
  const { file, values, source } = read ?? {};
  if (typeof file !== 'string' || file === '' || file.length > MAX_NAME) return fail('needs the name of its file');
  if (typeof source !== 'string') return fail('needs its source');
  if (source.length > MAX_SOURCE_LENGTH) return fail(`has ${source.length} characters, more than ${MAX_SOURCE_LENGTH}`);
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return fail('needs its values');
  for (const [key, value] of Object.entries(values)) {
    if (typeof value !== 'string' && !Number.isFinite(value)) return fail(`has no number or text as its value ${key}`);
  }
  return { file, values, source };
}

/** Returns true if `decodeCustomRule` accepts the text. */
export function isCustomRuleName(text: string): boolean {
  if (!isCustomRule(text)) return false;
  try {
    decodeCustomRule(text);
    return true;
  } catch {
    return false;
  }
}

/** Formats the title of a custom rule: `my_rule.py (alpha 0.5)`. */
function formatCustomRuleTitle({ file, values }: CustomRuleSource): string {
  const formatted = Object.entries(values).map(([name, value]) => `${name} ${value}`);
  return formatted.length === 0 ? file : `${file} (${formatted.join(', ')})`;
}

/**
 * Formats the title with a fingerprint that distinguishes texts of one file: `my_rule.py#1f3a9c2e`. Metrics use it,
 * because the complete text is too long for them.
 */
function formatCustomRuleLabel(customRule: CustomRuleSource): string {
  return `${formatCustomRuleTitle(customRule)}#${fingerprint(customRule.source)}`;
}

/**
 * Formats a short identifier of a custom rule: `own-1f3a9c2e`. It replaces the name if the name is too long and the
 * rule is not run.
 */
export function formatCustomRuleId(name: string): string {
  return `own-${fingerprint(name)}`;
}

/** Computes the 32-bit FNV-1a hash of a text. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
