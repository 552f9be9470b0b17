import type { Group } from '../../../rollouts/forest.ts';
import { broadcastToTurns, type Chain, chains, intermediateTurns, lastTurnValues } from '../../arithmetic/chains.ts';
import { NORMALIZATION, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
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
  family: 'group',
  input: 'trajectories',
  reads: ['outcome'],
  requiresTurnRewards: true,
  turns: 'steps',
  unit: 'turn',
  sharesInRollout: true,
  parameters: NORMALIZATION,
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
export function returns(group: Group, trajectories: readonly Chain[]): number[] {
  return trajectories.map(
    (chain) => intermediateTurns(chain).reduce((total, turn) => total + group.turns[turn].reward, 0) + chain.outcome,
  );
}
