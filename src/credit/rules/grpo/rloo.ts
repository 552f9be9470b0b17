import type { ParameterTable, ParameterValues } from '../../../parameters/parameters.ts';
import { chains, spread } from '../../arithmetic/chains.ts';
import { allEqual, CORNERS, type Normalization, normalization, normalize } from '../../arithmetic/normalize.ts';
import { groupTrajectories, normalizeStage, outcome, outcomeAdvantage, spreadStage } from '../../gpu/batchArrays.ts';
import type { CreditRule } from '../../rule.ts';
import { TWO_TURNS } from '../../telling/examples.ts';
import {
  deviationLines,
  equation,
  normalizedLines,
  operand,
  shown,
  sumOf,
  trajectoryAt,
} from '../../telling/worked.ts';

/** The corners of normalisation; the paper divides by nothing. */
const PARAMETERS: ParameterTable = CORNERS.map((corner) =>
  corner.name === 'scale' && corner.kind === 'choice' ? { ...corner, control: 'rlooScale', default: 'none' } : corner,
);

const how = (parameters: ParameterValues) => normalization({ ...parameters, profile: 'dr-grpo' });

/** A_i = R^O_i - mean of the other outcomes of the group, for every turn of trajectory i. */
export const rloo: CreditRule = {
  name: 'rloo',
  title: 'RLOO',
  idea: "Every turn of a rollout gets its outcome less the mean of the other rollouts' outcomes.",
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
  input: 'trajectories',
  reads: ['outcome'],
  unit: 'turn',
  parameters: PARAMETERS,
  example: TWO_TURNS,

  credit(group, parameters) {
    const trajectories = chains(group);
    const R = trajectories.map((chain) => chain.outcome);
    const { advantage: A, baseline: b } = leaveOneOut(R, how(parameters));
    return {
      advantage: spread(group, trajectories, (i) => A[i]),
      intermediate: {
        outcome: spread(group, trajectories, (i) => R[i]),
        baseline: spread(group, trajectories, (i) => b[i]),
      },
    };
  },

  worked(turn, group, credit, parameters) {
    const trajectories = chains(group);
    const R = trajectories.map((chain) => chain.outcome);
    const at = trajectoryAt(trajectories, turn);
    const corners = how(parameters);
    if (R.length < 2 || allEqual(R)) return normalizedLines({ symbols: ['A', 'R^O'], values: R, at, how: corners });
    const others = R.filter((_, i) => i !== at);
    const b = credit.intermediate.baseline[turn];
    const difference = `${shown(R[at])} − ${operand(b)}`;
    const baseline = equation('b', others.length === 1 ? sumOf(others) : `(${sumOf(others)}) / ${others.length}`, b);
    if (corners.scale === 'none') return [baseline, equation('A', difference, credit.advantage[turn])];
    const { std } = normalize(R, corners);
    const divisor = `(${shown(std)} + ${shown(corners.epsilon)})`;
    return [
      baseline,
      ...deviationLines('R^O', R, corners),
      equation('A', `(${difference}) / ${divisor}`, credit.advantage[turn]),
    ];
  },

  compared: (group) => [chains(group).map((chain) => chain.outcome)],

  outputs: {},
  stages: [
    normalizeStage(groupTrajectories, outcome, outcomeAdvantage, { how, leaveOneOut: true }),
    spreadStage(outcomeAdvantage),
  ],
};

/**
 * R_i - b_i, over the group's deviation where `how` scales; 0 where all rewards are equal. A lone rollout has no
 * others: it is its own baseline, or 0 is, as `how` says.
 * @param R [trajectories]
 */
function leaveOneOut(R: readonly number[], how: Normalization) {
  const n = R.length;
  if (n < 2 || allEqual(R)) {
    const { advantage, mean } = normalize(R, how);
    return { advantage, baseline: R.map(() => mean) };
  }
  const total = R.reduce((sum, reward) => sum + reward, 0);
  const baseline = R.map((reward) => (total - reward) / (n - 1));
  const divisor = how.scale === 'std' ? normalize(R, how).std + how.epsilon : 1;
  return { advantage: Float64Array.from(R, (reward, i) => (reward - baseline[i]) / divisor), baseline };
}
