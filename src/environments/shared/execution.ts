import type { Value } from '../../sandbox/types.ts';

/** One call of a program: a value, or the name of an exception (`Timeout` where it ran out of fuel). */
export type CallResult = { readonly value: Value } | { readonly exception: string };

/** One program on several inputs. */
export interface Execution {
  /** Python source of a module that defines the function to call. */
  readonly program: string;
  /** Name of the function; `f` where it is left out. */
  readonly entry?: string;
  /** Steps that one call may take, where the sandbox's budget for environments is not wanted. */
  readonly fuel?: number;
  /** [calls][arguments] */
  readonly inputs: readonly (readonly Value[])[];
}

/** Runs programs; [programs][calls], in order. Expected values never travel with them. */
export type Execute = (executions: readonly Execution[]) => Promise<readonly (readonly CallResult[])[]>;

/** True if a call returned exactly this value, of exactly this type: True is not 1. Floats equal no value here. */
export function returned(result: CallResult, expected: Value): boolean {
  return 'value' in result && same(result.value, expected);
}

/** True if two plain values are equal and of equal types. Floats are excluded. */
export function same(a: Value, b: Value): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return typeof a !== 'object' || a === null ? a === b : false;
  return a.length === b.length && a.every((member, index) => same(member, b[index]));
}
