import type { Expected, Float, Sequence, Value } from './types.ts';

/**
 * Returns true if a value equals an expectation. Ints and floats are compared by value, exactly if there is no
 * tolerance. NaN equals no value. A value of any other type equals only values of its type. Sets and dicts do not
 * depend on order.
 * @param tolerance maximum difference of floats, relative to max(1, |expected|)
 */
export function equal(actual: Value, expected: Expected, tolerance = 0): boolean {
  if (actual === null || expected === null) return actual === expected;
  if (typeof actual === 'boolean' || typeof expected === 'boolean') return actual === expected;
  if (typeof actual === 'string' || typeof expected === 'string') return actual === expected;
  if (isNumber(actual) || isNumber(expected))
    return isNumber(actual) && isNumber(expected) && near(actual, expected, tolerance);
  const { sequence } = expected as Partial<Sequence>;
  if (isList<Value>(actual)) return allEqual(actual, isList<Expected>(expected) ? expected : sequence, tolerance);
  if (isList<Expected>(expected)) return false;
  if ('tuple' in actual) return allEqual(actual.tuple, 'tuple' in expected ? expected.tuple : sequence, tolerance);
  if ('set' in actual) return 'set' in expected && matched(actual.set, expected.set, (x, y) => equal(x, y, tolerance));
  if (!('dict' in actual) || !('dict' in expected)) return false;
  return matched(actual.dict, expected.dict, ([k, v], [l, w]) => equal(k, l) && equal(v, w, tolerance));
}

export function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

function isNumber(value: Value | Expected): value is number | bigint | Float {
  if (typeof value === 'number' || typeof value === 'bigint') return true;
  return typeof value === 'object' && value !== null && 'float' in value;
}

function near(actual: number | bigint | Float, expected: number | bigint | Float, tolerance: number): boolean {
  const isFloat = typeof actual === 'object' || typeof expected === 'object';
  const [a, b] = [actual, expected].map((value) => (typeof value === 'object' ? value.float : value));
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number are compared by value, exactly, as Python does.
  if (a == b) return true;
  if (!isFloat || tolerance === 0) return false;
  const [x, y] = [Number(a), Number(b)];
  return Number.isFinite(x) && Number.isFinite(y) && Math.abs(x - y) <= tolerance * Math.max(1, Math.abs(y));
}

function allEqual(actual: readonly Value[], expected: readonly Expected[] | undefined, tolerance: number): boolean {
  return actual.length === expected?.length && actual.every((item, i) => equal(item, expected[i], tolerance));
}

/** Returns true if two lists can be paired. Equal indices are compared first: equal orders take linear time. */
function matched<A, B>(actual: readonly A[], expected: readonly B[], same: (a: A, b: B) => boolean): boolean {
  if (actual.length !== expected.length) return false;
  const left = new Set(expected.keys());
  return actual.every((item, i) => {
    if (left.has(i) && same(item, expected[i])) return left.delete(i);
    for (const j of left) if (same(item, expected[j])) return left.delete(j);
    return false;
  });
}
