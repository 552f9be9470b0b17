import { square } from '../numbers/powers.ts';

/** Added to the deviation that token advantages are divided by. */
export const TOKEN_EPSILON = 1e-4;

/**
 * Advantages of all policy tokens of a batch, normalised: (A - mean) / (population std + TOKEN_EPSILON). The readable
 * form of shaders/objective/normalize_tokens.wgsl.
 */
export function normalizeTokens(advantages: ArrayLike<number>): Float64Array {
  const { mean, variance } = moments(advantages);
  return Float64Array.from(advantages, (A) => (A - mean) / (Math.sqrt(variance) + TOKEN_EPSILON));
}

/**
 * Share of the returns' variance that the critic explains: 1 - var(A) / var(R) with A = R - V. 1 for a critic that is
 * always right, 0 for a constant, below 0 for one that is worse; null where all returns are equal.
 */
export function explainedVariance(advantageVariance: number, returnVariance: number): number | null {
  return returnVariance > 1e-12 ? 1 - advantageVariance / returnVariance : null;
}

/** Mean and population variance. */
export function moments(values: ArrayLike<number>): { readonly mean: number; readonly variance: number } {
  const all = Array.from(values);
  const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
  return { mean, variance: all.reduce((sum, value) => sum + square(value - mean), 0) / all.length };
}
