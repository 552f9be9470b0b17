import { broadcastToTurns, chains, lastTurnValues, outcomesOf } from '../../arithmetic/chains.ts';
import { NORMALIZATION, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
import { broadcastStage, groupTrajectories, normalizeStage, outcome, outcomeAdvantage } from '../../gpu/batchArrays.ts';
import { creditRule } from '../../rule.ts';

export const grpoOr = creditRule({
  name: 'grpo-or',
  title: 'GRPO-OR',
  family: 'group',
  input: 'trajectories',
  reads: ['outcome'],
  rewards: 'outcome',
  unit: 'turn',
  sharesInRollout: true,
  parameters: NORMALIZATION,
  laws: {
    parameters: { epsilon: 0 },
    shift: ['reward', 'outcome'],
    scale: 'same',
    zeroSums: ({ advantage }, group) => [lastTurnValues(group, advantage)],
  },

  credit(group, values) {
    const trajectories = chains(group);
    const {
      advantage: A,
      mean,
      std,
    } = normalize(
      trajectories.map(({ outcome }) => outcome),
      normalizationOf(values),
    );
    return {
      advantage: broadcastToTurns(group, trajectories, (i) => A[i]),
      intermediate: {
        outcome: broadcastToTurns(group, trajectories, (i) => trajectories[i].outcome),
        mean: broadcastToTurns(group, trajectories, () => mean),
        std: broadcastToTurns(group, trajectories, () => std),
      },
    };
  },

  compared: (group) => [outcomesOf(group)],

  outputs: {},
  stages: [normalizeStage(groupTrajectories, outcome, outcomeAdvantage), broadcastStage(outcomeAdvantage)],
});

/** GRPO-MT, the baseline of Murphy: GRPO-OR on chains in which a failed attempt has one refinement. */
export const grpoMt = {
  ...grpoOr,
  name: 'grpo-mt',
  title: 'GRPO-MT',
  turns: 'attempts',
} as const;
