import { exp } from '../../../../numbers/exponential.ts';
import { power, square } from '../../../../numbers/powers.ts';
import { standardDeviation } from '../../../arithmetic/normalize.ts';
import type { TurnReward, VerpoValues } from './parameters.ts';

/** Minimum of sigma. */
export const LEAST_BANDWIDTH = 1e-3;

/** Constant added to the density of a test, which divides its weight. */
export const DENSITY_EPSILON = 1e-6;

/** Weights of the unit tests of a group. */
export interface TestWeights {
  /** Share rho of the turns that pass each test [tests]. */
  readonly passRate: Float64Array;
  /** Weight of each test [tests]. */
  readonly weights: Float64Array;
  /** Bandwidth sigma of the density of pass rates. */
  readonly bandwidth: number;
}

/** Computes the weights of the unit tests of a group. @param results [turns][tests], 0 or 1 */
export function testWeights(
  results: readonly (readonly number[])[],
  { alpha, bandwidth, turn }: Pick<VerpoValues, 'alpha' | 'bandwidth' | 'turn'>,
): TestWeights {
  const rho = Float64Array.from(results[0] ?? [], (_, j) => sumOver(results, (t) => results[t][j]) / results.length);
  const sigma = Math.max(bandwidth > 0 ? bandwidth : standardDeviation(rho) / 2, LEAST_BANDWIDTH);
  const density = (at: number) => sumOver(rho, (k) => exp(-square(at - rho[k]) / (2 * square(sigma))));
  const failures = sumOver(rho, (k) => power(1 - rho[k], alpha));
  const weight: Record<TurnReward, (rate: number) => number> = {
    none: () => 0,
    'pass-rate': () => 1 / rho.length,
    // Tests without a failure have no share; if there are no other tests, all have the same share.
    'failure-rate': (rate) => (failures > 0 ? power(1 - rate, alpha) / failures : 1 / rho.length),
    difficulty: (rate) => exp(-alpha * rate),
    'difficulty-density': (rate) => exp(-alpha * rate) / (density(rate) + DENSITY_EPSILON),
  };
  return { passRate: rho, weights: rho.map(weight[turn]), bandwidth: sigma };
}

/** Returns the sum of the weights of the tests that a turn passes. @param results [tests], 0 or 1 */
export function passedWeight(results: readonly number[], weights: Float64Array): number {
  return sumOver(results, (j) => results[j] * weights[j]);
}

function sumOver({ length }: ArrayLike<unknown>, term: (index: number) => number): number {
  let total = 0;
  for (let index = 0; index < length; index++) total += term(index);
  return total;
}
