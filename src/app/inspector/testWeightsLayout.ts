import { type TurnReward, VERPO_PARAMETERS } from '../../credit/rules/tests/verpo/parameters.ts';
import { verpo } from '../../credit/rules/tests/verpo/verpo.ts';
import { type ParameterValues, valuesOf } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';

/** Unit tests that the same share of turns passes: they have the same weights. */
export interface WeighedTests {
  /** Indices of the tests, from 0. */
  readonly tests: readonly number[];
  /** rho */
  readonly passRate: number;
  /** The weight of its difficulty, before tests share it or are made to sum to 1; missing where nothing follows. */
  readonly difficulty?: number;
  /** d: how many tests are passed about as often, by the kernel; missing where the weights do not look at it. */
  readonly density?: number;
  /** Reward of the rule for passing one of them. */
  readonly weight: number;
}

export interface TestWeights {
  /** Turn reward that makes the weights. */
  readonly turn: TurnReward;
  /** Rising by pass rate. */
  readonly marks: readonly WeighedTests[];
  /** sigma and the density over pass rates from 0 to 1, where the weights look at them. */
  readonly density?: {
    readonly bandwidth: number;
    readonly curve: readonly (readonly [passRate: number, density: number])[];
  };
}

/** Points of the curve. */
const POINTS = 101;

/**
 * VeRPO's weights of a group's tests, as the rule itself gives them.
 * @throws {CreditError} for a group that VeRPO cannot read
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
