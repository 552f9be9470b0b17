import { type TurnReward, VERPO_PARAMETERS } from '../../credit/rules/tests/verpo/parameters.ts';
import { verpo } from '../../credit/rules/tests/verpo/verpo.ts';
import { type ParameterValues, valuesOf } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';

/** Unit tests with the same pass rate, and therefore the same weight. */
export interface WeighedTests {
  /** Indices of the tests, from 0. */
  readonly tests: readonly number[];
  /** Share of turns that pass the tests, rho. */
  readonly passRate: number;
  /**
   * Weight by difficulty, before division by the density or normalization. Absent if it is not used or is the final
   * weight.
   */
  readonly difficulty?: number;
  /** Kernel density d of the pass rates at this pass rate. Absent if the weights do not depend on it. */
  readonly density?: number;
  /** Final weight: the reward for passing one of the tests. */
  readonly weight: number;
}

export interface TestWeights {
  /** Kind of turn reward from which the weights are computed. */
  readonly turn: TurnReward;
  /** Tests by pass rate, in ascending order. */
  readonly marks: readonly WeighedTests[];
  /** Bandwidth sigma and density for pass rates from 0 to 1. Absent if the weights do not depend on them. */
  readonly density?: {
    readonly bandwidth: number;
    readonly curve: readonly (readonly [passRate: number, density: number])[];
  };
}

/** Number of points of the density curve. */
const POINTS = 101;

/**
 * Computes the weights of a group's tests under VeRPO. The final weights come from the rule itself.
 * @throws {CreditError} if VeRPO cannot read the group
 */
export function testWeights(group: Group, parameters: ParameterValues): TestWeights {
  const { passRate, weights, bandwidth } = verpo.credit(group, parameters).intermediate;
  const { turn, alpha } = valuesOf(VERPO_PARAMETERS, parameters);
  const sigma = bandwidth[0];
  const density = (at: number) =>
    passRate.reduce((sum, rho) => sum + Math.exp(-((at - rho) ** 2) / (2 * sigma ** 2)), 0);
  const difficulty = (rate: number) => {
    if (turn === 'difficulty-density') return { difficulty: Math.exp(-alpha * rate), density: density(rate) };
    return turn === 'failure-rate' ? { difficulty: (1 - rate) ** alpha } : {};
  };

  const byRate = new Map<number, number[]>();
  passRate.forEach((rho, test) => {
    const tests = byRate.get(rho);
    if (tests) tests.push(test);
    else byRate.set(rho, [test]);
  });
  const marks = [...byRate]
    .sort(([a], [b]) => a - b)
    .map(([rate, tests]) => ({ tests, passRate: rate, ...difficulty(rate), weight: weights[tests[0]] }));
  if (turn !== 'difficulty-density') return { turn, marks };
  const curve = Array.from({ length: POINTS }, (_, point) => {
    const at = point / (POINTS - 1);
    return [at, density(at)] as const;
  });
  return { turn, marks, density: { bandwidth: sigma, curve } };
}
