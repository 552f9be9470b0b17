import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome, Program, Value } from '@turnwise/python-sandbox/types';
import type { Credit, CreditRule } from '../src/credit/rule.ts';
import type { ParameterValues } from '../src/parameters/parameters.ts';
import type { Group, Turn } from '../src/rollouts/forest.ts';
import { root } from './files.ts';

// The rule files of the Python package as programs for the sandbox. The code that they import from `turnwise_rl`
// precedes them in the program.

const PACKAGE = 'python/turnwise_rl';

/** Maximum number of steps, enough for a group of a few hundred turns. */
const FUEL = 20_000_000;

/** Reads a file of the package. */
function packageText(path: string): string {
  return readFileSync(join(root, PACKAGE, path), 'utf8');
}

/** Reads the Python file of a rule, given the name of the rule. */
export function ruleText(name: string): string {
  return packageText(`rules/${name.replaceAll('-', '_')}.py`);
}

/** Creates a program that returns the credit of each group. */
export function ruleProgram(rule: CreditRule, parameters: ParameterValues, groups: readonly Group[]): Program {
  const source = ruleText(rule.name).replace(/^from turnwise_rl import .*$/m, '');
  const entry = 'def credit_of(turns, values):\n    return credit(Group("group", turns), **values)\n';
  const values = dict(keywords(rule, parameters));
  return {
    program: `${packageText('core.py')}\n${source}\n${entry}`,
    entry: 'credit_of',
    inputs: groups.map((group) => [group.turns.map(turnValue), values]),
    limits: { fuel: FUEL, result: 200_000 },
  };
}

/**
 * Returns the result of the program as a credit of a TypeScript rule.
 * @throws {Error} if the outcome is not a value
 */
export function creditOf(outcome: Outcome, rule: CreditRule): Credit {
  if (outcome.kind !== 'value') throw new Error(`${rule.name} in Python: ${JSON.stringify(outcome)}`);
  const returned = plain(outcome.value);
  const pair = Array.isArray(returned) && returned.length === 2 && isRecord(returned[1]);
  const [advantage, named] = (pair ? returned : [returned, {}]) as [Nested[], Record<string, Nested>];
  if (rule.unit !== 'token') return { advantage: numbers(advantage), intermediate: mapped(named) };
  const mean = (values: Nested) => numbers(values).reduce((sum, A) => sum + A, 0) / numbers(values).length;
  return {
    advantage: Float64Array.from(advantage, mean),
    tokens: { advantages: numbers(advantage), returns: numbers(named.returns ?? []) },
    intermediate: {},
  };
}

type Nested = number | null | readonly Nested[];

function mapped(named: Record<string, Nested>): Record<string, Float64Array> {
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [name, numbers(value)]));
}

/** Flattens nested lists. null becomes NaN. */
function numbers(value: Nested): Float64Array {
  const flat = [value].flat(3 as 1) as (number | null)[];
  return Float64Array.from(flat, (element) => element ?? NaN);
}

/** Returns the keyword arguments of `credit` in the file. Overrides of the profile become part of its text. */
function keywords(rule: CreditRule, parameters: ParameterValues): Record<string, Value> {
  const settings = new Map(Object.entries(parameters));
  const profile = rule.parameters.some(({ name }) => name === 'profile');
  const overrides = ['ddof', 'epsilon', 'scale', 'singleton'].filter((name) => {
    const corner = rule.parameters.find((parameter) => parameter.name === name);
    return profile && corner?.optional && settings.has(name);
  });
  const text = [
    settings.get('profile') ?? 'turnwise',
    ...overrides.map((name) => `${name}=${settings.get(name)}`),
  ].join(',');
  for (const name of overrides) settings.delete(name);
  if (profile) settings.set('profile', text);
  return Object.fromEntries(
    [...settings].map(([name, value]) => [name === 'lambda' ? 'lambda_' : name, argument(rule, name, value)]),
  );
}

function argument(rule: CreditRule, name: string, value: string | number): Value {
  const parameter = rule.parameters.find((candidate) => candidate.name === name);
  if (parameter?.kind === 'number') return parameter.integer ? Number(value) : { float: Number(value) };
  if (parameter?.kind === 'boolean') return value === 'true';
  return name === 'ddof' ? Number(value) : String(value);
}

/** Returns the fields of a turn that rules read as a value of the sandbox. */
function turnValue({ parent, reward, outcome, values, ...rest }: Turn): Value {
  const { solved, passed, state, action, validates, tokens, logProb, answerLogProb, stateValue } = rest;
  const given: Record<string, Value | undefined> = {
    parent,
    reward: { float: reward },
    outcome: outcome === undefined ? undefined : { float: outcome },
    values: values?.map((value) => ({ float: value })),
    logProb: logProb === undefined ? undefined : { float: logProb },
    answerLogProb: answerLogProb === undefined ? undefined : { float: answerLogProb },
    stateValue: stateValue === undefined ? undefined : { float: stateValue },
    ...{ solved, passed, state, action, validates, tokens },
  };
  return dict(given);
}

function dict(fields: Readonly<Record<string, Value | undefined>>): Value {
  return { dict: Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])) };
}

/** Converts a value of the sandbox to lists, records and numbers. */
function plain(value: Value): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value)) return value;
  if ('float' in value) return value.float;
  if ('tuple' in value) return (value.tuple as readonly Value[]).map(plain);
  if ('dict' in value) {
    return Object.fromEntries((value.dict as [Value, Value][]).map(([key, entry]) => [String(key), plain(entry)]));
  }
  throw new Error(`a rule returned ${JSON.stringify(value)}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
