import type { ChoiceParameter } from '../../../parameters/parameters.ts';
import { broadcastToTurns, chains, lastTurnValues } from '../../arithmetic/chains.ts';
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
  deviationLines,
  equation,
  formatNumber,
  normalizedLines,
  operand,
  sumOf,
  trajectoryAt,
} from '../../explanation/derivation.ts';
import { TWO_TURNS } from '../../explanation/examples.ts';
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

const normalization = (values: NormalizationValues) => normalizationOf({ ...values, profile: 'dr-grpo' });

export const rloo = creditRule({
  name: 'rloo',
  title: 'RLOO',
  fullName: 'REINFORCE, leave one out',
  idea: 'Every turn of a rollout gets the outcome minus the mean outcome of the other rollouts.',
  paper: {
    title: 'Back to Basics: Revisiting REINFORCE Style Optimization for Learning from Human Feedback in LLMs',
    reference: 'Ahmadian, Cremer et al. 2024, arXiv 2402.14740',
    equation: 'RLOO: A_i = R_i − 1/(n−1) Σ_{j≠i} R_j',
  },
  formula: [
    'b_i = 1/(n−1) Σ_{j≠i} R^O_j',
    'A_i = R^O_i − b_i, the same for every turn of rollout i',
    'with scale std: divided by std_j R^O_j + ε over all n',
  ],
  family: 'other',
  input: 'trajectories',
  reads: ['outcome'],
  rewards: 'outcome',
  unit: 'turn',
  sharesInRollout: true,
  parameters: [DDOF, EPSILON, RLOO_SCALE, SINGLETON],
  example: TWO_TURNS,
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

  worked(turn, group, credit, values) {
    const trajectories = chains(group);
    const R = trajectories.map((chain) => chain.outcome);
    const at = trajectoryAt(trajectories, turn);
    const options = normalization(values);
    if (R.length < 2 || allEqual(R))
      return normalizedLines({ symbols: ['A', 'R^O'], values: R, at, normalization: options });
    const rest = R.filter((_, i) => i !== at);
    const b = credit.intermediate.baseline[turn];
    const difference = `${formatNumber(R[at])} − ${operand(b)}`;
    const baseline = equation('b', rest.length === 1 ? sumOf(rest) : `(${sumOf(rest)}) / ${rest.length}`, b);
    if (options.scale === 'none') return [baseline, equation('A', difference, credit.advantage[turn])];
    const std = standardDeviation(R, options.ddof);
    const divisor = `(${formatNumber(std)} + ${formatNumber(options.epsilon)})`;
    return [
      baseline,
      ...deviationLines('R^O', R, options),
      equation('A', `(${difference}) / ${divisor}`, credit.advantage[turn]),
    ];
  },

  compared: (group) => [chains(group).map((chain) => chain.outcome)],

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
