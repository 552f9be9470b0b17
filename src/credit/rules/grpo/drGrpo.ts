import { broadcastToTurns, chains, lastTurnValues, outcomesOf } from '../../arithmetic/chains.ts';
import { normalize, PROFILES } from '../../arithmetic/normalize.ts';
import {
  broadcastStage,
  groupTrajectories,
  normalizeStageBy,
  outcome,
  outcomeAdvantage,
} from '../../gpu/batchArrays.ts';
import { creditRule } from '../../rule.ts';

export const normalization = PROFILES['dr-grpo'];

/**
 * Dr. GRPO. The paper also omits the division by the length of the answer; that is a change of the loss and not of
 * credit.
 */
export const drGrpo = creditRule({
  name: 'dr-grpo',
  title: 'Dr. GRPO',
  family: 'other',
  input: 'trajectories',
  reads: ['outcome'],
  rewards: 'outcome',
  unit: 'turn',
  sharesInRollout: true,
  parameters: [],
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

  compared: (group) => [outcomesOf(group)],

  outputs: {},
  stages: [
    normalizeStageBy(() => normalization, groupTrajectories, outcome, outcomeAdvantage),
    broadcastStage(outcomeAdvantage),
  ],
});
