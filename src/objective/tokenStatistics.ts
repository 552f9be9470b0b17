import { square } from '../numbers/powers.ts';

/** Constant added to the standard deviation that divides token advantages. */
export const TOKEN_EPSILON = 1e-4;

/**
 * Normalises the advantages of all policy tokens of a batch: (A - mean) / (population std + TOKEN_EPSILON). It is the
 * reference implementation of shaders/objective/normalize_tokens.wgsl.
 */
export function normalizeTokens(advantages: ArrayLike<number>): Float64Array {
  const { mean, variance } = moments(advantages);
  return Float64Array.from(advantages, (A) => (A - mean) / (Math.sqrt(variance) + TOKEN_EPSILON));
}

/**
 * Computes the share of the returns' variance that the critic explains: 1 - var(A) / var(R) with A = R - V. It is 1 for
 * exact predictions, 0 for a constant, and below 0 for worse predictions. Returns null if all returns are equal.
 */
export function explainedVariance(advantageVariance: number, returnVariance: number): number | null {
  return returnVariance > 1e-12 ? 1 - advantageVariance / returnVariance : null;
}

/** Computes the mean and the population variance. */
export function moments(values: ArrayLike<number>): { readonly mean: number; readonly variance: number } {
  const all = Array.from(values);
  const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
  return { mean, variance: all.reduce((sum, value) => sum + square(value - mean), 0) / all.length };
}
