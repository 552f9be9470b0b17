import type { Group } from '../../../rollouts/forest.ts';
import { CreditError } from '../../creditError.ts';
import type { Credit, CreditRule } from '../../rule.ts';
import { decodeCustomRule, formatCustomRuleLabel, formatCustomRuleTitle } from './customSource.ts';

/** Numbers of a rule, in lists or not; None if there is no number. */
export type Numbers = number | null | readonly Numbers[];

/** Result of a rule in Python for a group, read and checked. */
export interface CustomRuleResult {
  /** [turns] a number, a list of numbers (one a token), or null for a pruned turn. */
  readonly advantage: readonly (number | null | readonly number[])[];
  readonly intermediate: Readonly<Record<string, Numbers>>;
}

/** Computed results: the sandbox returns them later, and all other code needs them at once. */
const results = new WeakMap<Group, Map<string, CustomRuleResult | Error>>();
const MAX_KNOWN = 64;
const known = new Map<string, CreditRule>();

/** Keeps what a rule said of a group, or why it said nothing. */
export function saveResult(name: string, group: Group, result: CustomRuleResult | Error): void {
  const ofGroup = results.get(group) ?? new Map<string, CustomRuleResult | Error>();
  results.set(group, ofGroup);
  // While the user types, only the newest texts are needed of a group that stays on the screen.
  if (ofGroup.size >= MAX_KNOWN) ofGroup.delete(ofGroup.keys().next().value as string);
  // The newest result is last.
  ofGroup.delete(name);
  ofGroup.set(name, result);
}

/** Stored result of a group. */
export function resultOf(name: string, group: Group): CustomRuleResult | Error | undefined {
  return results.get(group)?.get(name);
}

/** Descriptions by rules of the derivation of a group's advantages: [turns][lines]. */
const descriptions = new WeakMap<Group, Map<string, readonly (readonly string[])[]>>();

/** Stores the description of a rule for a group. Those of earlier rules are no longer needed. */
export function storeDerivation(name: string, group: Group, lines: readonly (readonly string[])[]): void {
  descriptions.set(group, new Map([[name, lines]]));
}

/** The most recently computed rule of a group that gave a result. */
export function findNewestCustomRule(group: Group): string | undefined {
  const all = [...(results.get(group) ?? [])];
  return all.findLast(([, result]) => !(result instanceof Error))?.[0];
}

/**
 * The rule of a name that contains all of it (encodeCustomRule). Its numbers come from the sandbox (src/customRules), which must
 * have computed them before. `credit` returns stored results, and refuses a group that has no stored result.
 * @throws {RangeError} for a name that describes no rule
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

/** Constants of a rule's text and their values. They are read from the text, because a run needs them before the sandbox answers. */
const CONSTANTS = { BATCH: ['rollouts', 'tokens'], REWARDS: ['outcome', 'attempts'] } as const;

/** Returns the value of a constant as the text has it, with its line from 1; undefined if the text does not set it. */
function constantOf(source: string, name: keyof typeof CONSTANTS) {
  const pattern = new RegExp(`^${name}\\s*=\\s*([^#]*)`);
  const values = source.split('\n').map((line) => pattern.exec(line)?.[1].trim());
  const index = values.findLastIndex((value) => value !== undefined);
  const value = values[index]?.replace(/^(["'])(.*)\1$/, '"$2"');
  return value === undefined || value === 'None' ? undefined : { line: index + 1, value };
}

/** Returns the line of a constant with an unknown value, and the problem; undefined if all values are known. */
export function wrongConstant(source: string): { readonly line: number; readonly problem: string } | undefined {
  for (const name of ['BATCH', 'REWARDS'] as const) {
    const constant = constantOf(source, name);
    const [first, second] = CONSTANTS[name].map((value) => `"${value}"`);
    if (constant && constant.value !== first && constant.value !== second)
      return { line: constant.line, problem: `${name} is ${constant.value}, not ${first} or ${second}` };
  }
  return undefined;
}

/** Returns the `batch` and the `rewards` of a rule as its text gives them; an unknown value counts as none (`wrongConstant`). */
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
    // A rule that uses trajectories refuses trees, so the rollouts are no trees then.
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

/** A result in the form of every rule's credit. A list a turn counts as its mean. */
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
