import type { Group } from '../../../rollouts/forest.ts';
import { broadcastToTurns, type Chain, chains, intermediateTurns, lastTurnValues } from '../../arithmetic/chains.ts';
import { NORMALIZATION, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
import { equation, normalizedLines, sumOf, trajectoryAt } from '../../explanation/derivation.ts';
import { TWO_TURNS } from '../../explanation/examples.ts';
import {
  broadcastStage,
  countOf,
  groupTrajectories,
  normalizeStage,
  outcome,
  reward,
  SUM_TIE,
  trajectoryTurns,
} from '../../gpu/batchArrays.ts';
import { type Stage, scratch } from '../../gpu/stage.ts';
import { creditRule } from '../../rule.ts';

const mergedReturn = scratch('return', 'trajectories');
const returnAdvantage = scratch('returnAdvantage', 'trajectories');

const sumRewards: Stage<unknown> = {
  kernel: 'credit/trajectory_returns',
  bindings: {
    turnOffset: trajectoryTurns.offset,
    turn: trajectoryTurns.member,
    reward,
    outcome,
    mergedReturn,
  },
  count: countOf('trajectories'),
};

export const grpoMr = creditRule({
  name: 'grpo-mr',
  title: 'GRPO-MR',
  fullName: 'GRPO, merged reward: turn rewards and outcome in one sum',
  idea: 'Turn rewards are added to the outcome, and every turn of a rollout gets the same credit for the sum.',
  paper: {
    title: 'Reinforcing Multi-Turn Reasoning in LLM Agents via Turn-Level Reward Design',
    reference: 'Wei, Zeng et al. 2025, arXiv 2505.11821',
    equation: 'baseline GRPO-MR: A_i = (R_i − mean(R)) / std(R), R_i = Σ_{l<K_i} R^I_{i,l} + R^O_i',
  },
  formula: ['R_i = Σ_{l<K_i} R^I_{i,l} + R^O_i', 'A_i = (R_i − mean_j R_j) / (std_j R_j + ε), the same for every turn'],
  family: 'group',
  input: 'trajectories',
  reads: ['outcome'],
  requiresTurnRewards: true,
  turns: 'steps',
  unit: 'turn',
  sharesInRollout: true,
  parameters: NORMALIZATION,
  example: TWO_TURNS,
  // Turn rewards have no shift law: rollouts differ in the number of rewards in their sum.
  laws: {
    parameters: { epsilon: 0 },
    shift: ['outcome'],
    scale: 'same',
    zeroSums: ({ advantage }, group) => [lastTurnValues(group, advantage)],
  },

  credit(group, values) {
    const trajectories = chains(group);
    const R = returns(group, trajectories);
    const { advantage: A, mean, std } = normalize(R, normalizationOf(values));
    return {
      advantage: broadcastToTurns(group, trajectories, (i) => A[i]),
      intermediate: {
        return: broadcastToTurns(group, trajectories, (i) => R[i]),
        mean: broadcastToTurns(group, trajectories, () => mean),
        std: broadcastToTurns(group, trajectories, () => std),
      },
    };
  },

  worked(turn, group, _, values) {
    const trajectories = chains(group);
    const R = returns(group, trajectories);
    const at = trajectoryAt(trajectories, turn);
    const rewards = intermediateTurns(trajectories[at]).map((l) => group.turns[l].reward);
    return [
      equation('R', sumOf([...rewards, trajectories[at].outcome]), R[at]),
      ...normalizedLines({ symbols: ['A', 'R'], values: R, at, normalization: normalizationOf(values) }),
    ];
  },

  compared: (group) => [returns(group, chains(group))],

  outputs: {},
  stages: [
    sumRewards,
    normalizeStage(groupTrajectories, mergedReturn, returnAdvantage, { tie: SUM_TIE }),
    broadcastStage(returnAdvantage),
  ],
});

/**
 * Returns the sum of the rewards of each trajectory [trajectories]. The last turn has its outcome in place of its
 * reward.
 */
function returns(group: Group, trajectories: readonly Chain[]): number[] {
  return trajectories.map(
    (chain) => intermediateTurns(chain).reduce((total, turn) => total + group.turns[turn].reward, 0) + chain.outcome,
  );
}
