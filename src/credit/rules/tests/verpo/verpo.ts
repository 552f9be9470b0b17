import { integerPower } from '../../../../numbers/powers.ts';
import type { Group } from '../../../../rollouts/forest.ts';
import { broadcastToTurns, firstTurnValues, paths } from '../../../arithmetic/chains.ts';
import { normalize } from '../../../arithmetic/normalize.ts';
import { testResults } from '../../../arithmetic/unitTests.ts';
import { formatNumber, powerOfTen } from '../../../explanation/derivation.ts';
import { TESTED } from '../../../explanation/examples.ts';
import { creditRule } from '../../../rule.ts';
import { verpoLines } from './derivation.ts';
import { VERPO_OUTPUTS, VERPO_STAGES } from './kernels.ts';
import { comparison, VERPO_PARAMETERS, type VerpoValues } from './parameters.ts';
import { DENSITY_EPSILON, LEAST_BANDWIDTH, passedWeight, testWeights } from './weights.ts';

/** VeRPO. Turns require `passed`; rewards and outcomes are not read. */
export const verpo = creditRule({
  name: 'verpo',
  title: 'VeRPO',
  fullName: 'verifiable dense reward policy optimisation',
  idea: 'The reward of a turn is the weight of the unit tests that it passes, and a solved task has an additional reward.',
  paper: {
    title: 'VeRPO: Verifiable Dense Reward Policy Optimization for Code Generation',
    reference: 'Wang, Wu et al. 2026, arXiv 2601.03525',
    equation: 'turn reward R_{i,t} = Σ_j weight_j · [turn passes test j]; A_{i,t} = A^traj_i + β A^turn_{i,t}',
  },
  formula: [
    'ρ_j = share of all turns of the group that pass test j',
    'w_j = exp(−α ρ_j)',
    `σ = max(std_j ρ_j / 2, ${formatNumber(LEAST_BANDWIDTH)})`,
    'd_j = Σ_k exp(−(ρ_j − ρ_k)² / (2σ²))',
    `weight_j = w_j / (d_j + ${powerOfTen(DENSITY_EPSILON)})`,
    'weight_j = (1 − ρ_j)^α / Σ_k (1 − ρ_k)^α instead, by turn = failure-rate; 1 / m if all turns pass all m tests',
    'R_{i,t} = Σ_j weight_j over the tests that the turn passes; Σ_j weight_j depends on the number of tests and need not be 1',
    'R_i = decay^(K_i − 1) if the last turn passes every test, else 0',
    'A_{i,t} = (R_i − mean_j R_j) + β (R_{i,t} − mean over all turns of the group)',
  ],
  family: 'tests',
  input: 'trajectories',
  reads: ['passed'],
  rewards: 'outcome',
  turns: 'attempts',
  unit: 'turn',
  parameters: VERPO_PARAMETERS,
  example: TESTED,
  // Rewards come from the passed tests; `reward` and `outcome` are not read.
  laws: {
    shift: ['reward', 'outcome'],
    scale: 'same',
    zeroSums: ({ intermediate: { turnAdvantage, trajectoryAdvantage } }, group) => [
      [...turnAdvantage],
      firstTurnValues(group, trajectoryAdvantage),
    ],
  },

  credit(group, values) {
    const { beta, trajectory } = values;
    const normalization = comparison(values);
    const { trajectories, tests, turnReward, trajectoryReward } = rewards(group, values);
    const { advantage: turnAdvantage } = normalize(turnReward, normalization);
    const { advantage: A } = normalize(trajectoryReward, normalization);
    const trajectoryAdvantage = broadcastToTurns(group, trajectories, (i) => A[i]);
    return {
      advantage: turnAdvantage.map((turn, index) => Number(trajectory) * trajectoryAdvantage[index] + beta * turn),
      intermediate: {
        ...tests,
        bandwidth: Float64Array.of(tests.bandwidth),
        turnReward,
        turnAdvantage,
        trajectoryReward: broadcastToTurns(group, trajectories, (i) => trajectoryReward[i]),
        trajectoryAdvantage,
      },
    };
  },

  worked: verpoLines,

  // The lists are weighted as in the advantage, so a term that an ablation removes is constant.
  compared(group, values) {
    const { turnReward, trajectoryReward } = rewards(group, values);
    return [turnReward.map((R) => values.beta * R), trajectoryReward.map((R) => Number(values.trajectory) * R)];
  },

  outputs: VERPO_OUTPUTS,
  stages: VERPO_STAGES,
});

/** Computes R_{i,t} [turns], R_i [trajectories], and the test weights of R_{i,t}. */
function rewards(group: Group, values: VerpoValues) {
  const trajectories = paths(group).map((turns) => ({ turns }));
  const results = testResults(group);
  const tests = testWeights(results, values);
  const turnReward = Float64Array.from(results, (turnResults) => passedWeight(turnResults, tests.weights));
  const trajectoryReward = trajectories.map(({ turns }) => {
    const solved = results[turns[turns.length - 1]].every((result) => result === 1);
    return solved ? integerPower(values.decay, turns.length - 1) : 0;
  });
  return { trajectories, tests, turnReward, trajectoryReward };
}
