import type { CustomRuleResult, Numbers } from '../credit/rules/custom/customRule.ts';
import type { Group } from '../rollouts/forest.ts';
import type { Value } from '../sandbox/types.ts';

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
export function numberOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return isRecord(value) && 'float' in value ? value.float : undefined;
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
