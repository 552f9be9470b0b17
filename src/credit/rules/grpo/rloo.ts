import type { ChoiceParameter } from '../../../parameters/parameters.ts';
import { broadcastToTurns, chains, lastTurnValues, outcomesOf } from '../../arithmetic/chains.ts';
import {
  allEqual,
  DDOF,
  EPSILON,
  type Normalization,
  type NormalizationValues,
  normalizationOf,
  normalize,
  SCALE,
  SINGLETON,
  standardDeviation,
  sum,
} from '../../arithmetic/normalize.ts';
import {
  broadcastStage,
  groupTrajectories,
  normalizeStageBy,
  outcome,
  outcomeAdvantage,
} from '../../gpu/batchArrays.ts';
import { creditRule } from '../../rule.ts';

/** Scale of RLOO. The default is `none`, because the paper does not divide. */
const RLOO_SCALE = { ...SCALE, control: 'rlooScale', default: 'none' } as const satisfies ChoiceParameter;

export const normalization = (values: NormalizationValues) => normalizationOf({ ...values, profile: 'dr-grpo' });

export const rloo = creditRule({
  name: 'rloo',
  title: 'RLOO',
  family: 'other',
  input: 'trajectories',
  reads: ['outcome'],
  rewards: 'outcome',
  unit: 'turn',
  sharesInRollout: true,
  parameters: [DDOF, EPSILON, RLOO_SCALE, SINGLETON],
  laws: {
    shift: ['reward', 'outcome'],
    scale: 'multiplied',
    zeroSums: ({ advantage }, group) => [lastTurnValues(group, advantage)],
  },

  credit(group, values) {
    const trajectories = chains(group);
    const R = trajectories.map((chain) => chain.outcome);
    const { advantage: A, baseline: b } = leaveOneOut(R, normalization(values));
    return {
      advantage: broadcastToTurns(group, trajectories, (i) => A[i]),
      intermediate: {
        outcome: broadcastToTurns(group, trajectories, (i) => R[i]),
        baseline: broadcastToTurns(group, trajectories, (i) => b[i]),
      },
    };
  },

  compared: (group) => [outcomesOf(group)],

  outputs: {},
  stages: [
    normalizeStageBy(normalization, groupTrajectories, outcome, outcomeAdvantage, { leaveOneOut: true }),
    broadcastStage(outcomeAdvantage),
  ],
});

/**
 * Computes R_i - b_i, divided by the group's standard deviation plus epsilon if `scale` is `std`. The result is 0 if
 * all rewards are equal. A single rollout has no other rollouts: its baseline is its reward, or 0, by the option
 * `singleton`.
 * @param R [trajectories]
 */
function leaveOneOut(R: readonly number[], options: Normalization) {
  const n = R.length;
  if (n < 2 || allEqual(R)) {
    const { advantage, mean } = normalize(R, options);
    return { advantage, baseline: R.map(() => mean) };
  }
  const total = sum(R);
  const baseline = R.map((reward) => (total - reward) / (n - 1));
  const divisor = options.scale === 'std' ? standardDeviation(R, options.ddof) + options.epsilon : 1;
  return { advantage: Float64Array.from(R, (reward, i) => (reward - baseline[i]) / divisor), baseline };
}
