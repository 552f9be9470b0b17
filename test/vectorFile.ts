import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseRuleParameters } from '../src/credit/ruleFacts.ts';
import { findRule } from '../src/credit/rules.ts';
import type { ParameterValues } from '../src/parameters/parameters.ts';
import type { Group } from '../src/rollouts/forest.ts';
import { root } from './files.ts';

/**
 * Reads a file of expected numbers from the folder in TURNWISE_VECTORS (relative to the repository). The default is
 * test/fixtures/vectors.
 * @throws {Error} with the path of a missing file, so that tests with a wrong folder never pass
 */
export function vectorFile<T>(name: string): T {
  const folder = process.env.TURNWISE_VECTORS || 'test/fixtures/vectors';
  const path = join(resolve(root, folder), name);
  if (!existsSync(path))
    throw new Error(`there is no ${path} (TURNWISE_VECTORS=${process.env.TURNWISE_VECTORS ?? ''})`);
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}

/** One case of credit.json. */
export interface CreditCase {
  readonly rule: string;
  readonly parameters: ParameterValues;
  readonly group: Group;
  /** Expected values by name: one number or list per turn (null if pruned), one number per test, or one number. */
  readonly expected: Readonly<Record<string, unknown>>;
}

/**
 * Returns the cases of credit.json for one rule.
 * @throws {Error} if there are no cases, because a rule without expected values would pass unchecked
 */
export function creditCases(rule: string): readonly CreditCase[] {
  const cases = allCases().filter((testCase) => testCase.rule === rule);
  if (cases.length === 0) throw new Error(`credit.json has no case for "${rule}"`);
  return cases.map((testCase) => ({
    ...testCase,
    parameters: parseRuleParameters(findRule(rule), testCase.parameters),
  }));
}

/** Returns the names of the rules that have cases in credit.json. */
export function rulesWithCases(): readonly string[] {
  return [...new Set(allCases().map(({ rule }) => rule))];
}

function allCases(): readonly CreditCase[] {
  // absent.json contains MT-GRPO for rollouts with different numbers of turns, in both interpretations.
  return ['credit.json', 'absent.json'].flatMap((name) => vectorFile<{ cases: CreditCase[] }>(name).cases);
}

/** One case of published.json: an assertion of a public test suite, or a result that was computed from public code. */
export interface PublishedCase<Inputs, Expected> {
  readonly id: string;
  readonly source: string;
  readonly inputs: Inputs;
  readonly expected: Expected;
  readonly tolerance: number;
}

/**
 * Returns a case of published.json.
 * @throws {Error} if there is no case with this id
 */
export function published<Inputs, Expected>(id: string): PublishedCase<Inputs, Expected> {
  type Cases = PublishedCase<Inputs, Expected>[];
  const { vectors, derived } = vectorFile<{ vectors: Cases; derived: Cases }>('published.json');
  const match = [...vectors, ...derived].find((testCase) => testCase.id === id);
  if (!match) throw new Error(`published.json has no case "${id}"`);
  return match;
}

/**
 * Asserts that two lists agree to a tolerance, which is relative for numbers above 1 in magnitude.
 * @throws {Error} with the index of the first number that differs
 */
export function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void {
  if (actual.length !== expected.length) throw new Error(`${actual.length} numbers, expected ${expected.length}`);
  for (let i = 0; i < expected.length; i++) {
    const bound = tolerance * Math.max(1, Math.abs(expected[i]));
    // The condition is false for NaN, so that NaN fails.
    if (Math.abs(actual[i] - expected[i]) <= bound) continue;
    throw new Error(`[${i}] is ${actual[i]}, expected ${expected[i]} within ${bound}`);
  }
}
