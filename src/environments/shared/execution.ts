import type { Value } from '../../sandbox/types.ts';

/** Result of one call: the returned value, or the name of an exception (`Timeout` if the call ran out of fuel). */
export type CallResult = { readonly value: Value } | { readonly exception: string };

/** A program and the inputs of its calls. */
export interface Execution {
  /** Python source of a module that defines the function to call. */
  readonly program: string;
  /** Name of the function to call; `f` if absent. */
  readonly entry?: string;
  /** Fuel of one call [steps]. If absent, the call has the limit for programs of policies. */
  readonly fuel?: number;
  /** Arguments of the calls, [calls][arguments]. */
  readonly inputs: readonly (readonly Value[])[];
}

/**
 * Function that runs programs and returns their results, [programs][calls], in order. It never receives expected
 * values.
 */
export type Execute = (executions: readonly Execution[]) => Promise<readonly (readonly CallResult[])[]>;

/** Returns true if a call returned exactly this value with the same type: `True` is not 1. Floats never match. */
export function returned(result: CallResult, expected: Value): boolean {
  return 'value' in result && same(result.value, expected);
}

/** Returns true if two plain values are equal and have the same type. Floats never match. */
export function same(a: Value, b: Value): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return typeof a !== 'object' || a === null ? a === b : false;
  return a.length === b.length && a.every((member, index) => same(member, b[index]));
}
