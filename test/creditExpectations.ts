import { expect } from 'vitest';
import type { Credit, CreditRule } from '../src/credit/rule.ts';
import type { Group } from '../src/rollouts/forest.ts';
import { type CreditCase, expectClose } from './vectorFile.ts';

/**
 * Asserts that the credit of a rule has all values of a case of credit.json: advantages of turns or tokens, and
 * intermediate values by their names. An expected null means NaN, the value of a pruned turn.
 * @throws {Error} with the name of a value that differs or that the rule does not return
 */
export function expectCredit(credit: Credit, { group, expected }: CreditCase, tolerance: number): void {
  for (const [name, values] of Object.entries(expected)) {
    try {
      expectValues(given(credit, name, group), [values].flat(2) as (number | null)[], tolerance);
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`);
    }
  }
}

function given({ advantage, tokens, intermediate }: Credit, name: string, group: Group): ArrayLike<number> {
  if (name === 'advantage') return advantage;
  const value = name === 'advantages' || name === 'returns' ? tokens?.[name] : intermediate[name];
  if (!value) throw new Error(`the rule gives no such value for group "${group.id}"`);
  return value;
}

/** Asserts that two credits agree in all outputs of the rule, and have NaN in the same positions. */
export function expectSameCredit(rule: CreditRule, actual: Credit, expected: Credit, tolerance: number): void {
  const named = (credit: Credit) => ({
    advantage: credit.advantage,
    ...(rule.unit === 'token' ? credit.tokens : {}),
    ...Object.fromEntries(Object.keys(rule.outputs).map((name) => [name, credit.intermediate[name]])),
  });
  const values = named(actual) as Record<string, Float64Array>;
  for (const [name, expectedValues] of Object.entries(named(expected) as Record<string, Float64Array>)) {
    try {
      expectValues(values[name], [...expectedValues], tolerance);
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`);
    }
  }
}

/**
 * Asserts that a line of the `credit` command has the values of a case of credit.json in the same shape. The line must
 * also have the other outputs of the rule, and no other fields.
 */
export function expectLine(
  line: Readonly<Record<string, unknown>>,
  rule: CreditRule,
  { group, expected }: CreditCase,
  tolerance: number,
): void {
  const columns = rule.unit === 'token' ? ['advantages', 'returns'] : ['advantage'];
  expect(Object.keys(line)).toEqual(['id', ...columns, ...Object.keys(rule.outputs)]);
  expect(line.id).toBe(group.id);
  for (const [name, values] of Object.entries(expected)) {
    expect(shape(line[name]), name).toEqual(shape(values));
    const numbers = (nested: unknown) => [nested].flat(2) as (number | null)[];
    try {
      expectValues(
        numbers(line[name]).map((value) => value ?? NaN),
        numbers(values),
        tolerance,
      );
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`);
    }
  }
}

/** Returns the shape of a value: nested lists with the type of each element. */
function shape(value: unknown): unknown {
  return Array.isArray(value) ? value.map(shape) : value === null ? 'null' : typeof value;
}

function expectValues(actual: ArrayLike<number>, expected: readonly (number | null)[], tolerance: number): void {
  const missing = expected.map((value) => value === null || Number.isNaN(value));
  missing.forEach((nothing, index) => {
    if (nothing !== Number.isNaN(actual[index]))
      throw new Error(`[${index}] is ${actual[index]}, expected ${expected[index]}`);
  });
  const plain = (values: ArrayLike<number | null>) =>
    Array.from(values, (value, index) => (missing[index] ? 0 : Number(value)));
  expectClose(plain(actual), plain(expected), tolerance);
}
