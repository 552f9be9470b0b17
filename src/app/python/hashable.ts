import { repr } from '../../sandbox/repr.ts';
import type { Expected, Value } from '../../sandbox/types.ts';
import { pythonStrings } from '../strings/pythonStrings.ts';

/** Members of a set and keys: none is changeable, and none stands there twice, as Python counts. */
export function distinct<T extends Value | Expected>(
  items: readonly T[],
  fail: (problem: string) => never,
): readonly T[] {
  const texts = pythonStrings.literal;
  const known = new Set<string>();
  for (const item of items) {
    const kind = changeable(item);
    if (kind) fail(texts.unhashable(kind));
    const name = identity(item);
    if (known.has(name)) fail(texts.twice(repr(item as Value)));
    known.add(name);
  }
  return items;
}

/** The kind of a value that Python cannot hash, or that has such a one inside. */
function changeable(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) || 'sequence' in value) return 'list';
  if ('set' in value) return 'set';
  if ('dict' in value) return 'dict';
  const { tuple = [] } = value as { readonly tuple?: readonly unknown[] };
  for (const item of tuple) {
    const kind = changeable(item);
    if (kind) return kind;
  }
  return undefined;
}

/** The same text for values that are equal in Python: 1, 1.0 and True. */
function identity(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'boolean') return String(Number(value));
  if (typeof value !== 'object' || value === null) return String(value);
  const { float, tuple } = value as { readonly float?: number; readonly tuple?: readonly unknown[] };
  if (float !== undefined) return Number.isInteger(float) ? String(BigInt(float)) : String(float);
  return `(${tuple?.map(identity).join(',')})`;
}

/** JSON can say what Python cannot make: a set of lists. */
export function checkHashable(value: Value, fail: (problem: string) => never): void {
  if (typeof value !== 'object' || value === null) return;
  const elements = value as {
    tuple?: readonly Value[];
    set?: readonly Value[];
    dict?: readonly (readonly [Value, Value])[];
  };
  const texts = pythonStrings.literal;
  for (const key of elements.set ?? elements.dict?.map(([key]) => key) ?? []) {
    const kind = changeable(key);
    if (kind) fail(texts.unhashable(kind));
  }
  const inside = Array.isArray(value)
    ? (value as readonly Value[])
    : (elements.tuple ?? elements.dict?.map(([, item]) => item));
  for (const item of inside ?? []) checkHashable(item, fail);
}
