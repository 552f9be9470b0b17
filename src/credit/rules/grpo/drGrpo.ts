import { broadcastToTurns, chains, lastTurnValues } from '../../arithmetic/chains.ts';
import { normalize, PROFILES } from '../../arithmetic/normalize.ts';
import { normalizedLines, trajectoryAt } from '../../explanation/derivation.ts';
import { TWO_TURNS } from '../../explanation/examples.ts';
import {
  broadcastStage,
  groupTrajectories,
  normalizeStageBy,
  outcome,
  outcomeAdvantage,
} from '../../gpu/batchArrays.ts';
import { creditRule } from '../../rule.ts';

const normalization = PROFILES['dr-grpo'];

/**
 * Dr. GRPO. The paper also omits the division by the length of the answer; that is a change of the loss and not of
 * credit.
 */
export const drGrpo = creditRule({
  name: 'dr-grpo',
  title: 'Dr. GRPO',
  fullName: 'GRPO done right',
  idea: 'Every turn of a rollout gets the outcome minus the mean outcome of the group, without division by the deviation.',
  paper: {
    title: 'Understanding R1-Zero-Like Training: A Critical Perspective',
    reference: 'Liu, Chen et al. 2025, arXiv 2503.20783',
    equation: 'Dr. GRPO: A_i = R_i − mean(R), without std(R)',
  },
  formula: ['A_i = R^O_i − mean_j R^O_j, the same for every turn of rollout i'],
  family: 'other',
  input: 'trajectories',
  reads: ['outcome'],
  rewards: 'outcome',
  unit: 'turn',
  sharesInRollout: true,
  parameters: [],
  example: TWO_TURNS,
  laws: {
    shift: ['reward', 'outcome'],
    scale: 'multiplied',
    zeroSums: ({ advantage }, group) => [lastTurnValues(group, advantage)],
  },

  credit(group) {
    const trajectories = chains(group);
    const { advantage: A, mean } = normalize(
      trajectories.map((chain) => chain.outcome),
      normalization,
    );
    return {
      advantage: broadcastToTurns(group, trajectories, (i) => A[i]),
      intermediate: {
        outcome: broadcastToTurns(group, trajectories, (i) => trajectories[i].outcome),
        mean: broadcastToTurns(group, trajectories, () => mean),
      },
    };
  },

  worked(turn, group) {
    const trajectories = chains(group);
    const values = trajectories.map((chain) => chain.outcome);
    return normalizedLines({ symbols: ['A', 'R^O'], values, at: trajectoryAt(trajectories, turn), normalization });
  },

  compared: (group) => [chains(group).map((chain) => chain.outcome)],

  outputs: {},
  stages: [
    normalizeStageBy(() => normalization, groupTrajectories, outcome, outcomeAdvantage),
    broadcastStage(outcomeAdvantage),
  ],
});
