import type { Group } from '../../../rollouts/forest.ts';
import { broadcastToTurns, type Chain, chains, comparedTurns, lastTurnValues } from '../../arithmetic/chains.ts';
import { NORMALIZATION, type NormalizationValues, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
import {
  advantage,
  countOf,
  groupTrajectories,
  normalizeStage,
  outcome,
  outcomeAdvantage,
  trajectoryTurns,
  turnCombineStage,
} from '../../gpu/batchArrays.ts';
import { adaptStage, type Stage, scratch } from '../../gpu/stage.ts';
import { creditRule } from '../../rule.ts';
import { absentStages } from './absentTurns.ts';

const turnAdvantage = scratch('turnAdvantage of all rollouts', 'turns');

/** Parameters of MT-GRPO under which a first turn has the sum of the normalised rewards as its credit. */
const AS_FIRST_TURN = { alpha: 1, absent: 'zero' } as const;

const broadcastFirst: Stage<unknown> = {
  kernel: 'credit/first_turn_broadcast',
  bindings: { turnOffset: trajectoryTurns.offset, turn: trajectoryTurns.member, advantage },
  count: countOf('trajectories'),
};

/** GDPO. The rewards of a rollout are its turn rewards, one per level, and its outcome. All weights are 1. */
export const gdpo = creditRule({
  name: 'gdpo',
  title: 'GDPO',
  family: 'group',
  input: 'trajectories',
  reads: ['outcome'],
  turns: 'steps',
  unit: 'turn',
  sharesInRollout: true,
  batch: 'rollouts',
  parameters: NORMALIZATION,
  // Turn rewards have no shift law: rollouts differ in their number of turns, and a missing turn has no reward.
  laws: {
    parameters: { epsilon: 0 },
    shift: ['outcome'],
    scale: 'same',
    zeroSums: ({ advantage: A }, group) => [lastTurnValues(group, A)],
  },

  credit(group, values) {
    const trajectories = chains(group);
    const normalized = rewardsOf(group, trajectories).map((rewards) => normalize(rewards, normalizationOf(values)));
    const A = trajectories.map((_, i) => normalized.reduce((sum, { advantage: A }) => sum + A[i], 0));
    return {
      advantage: broadcastToTurns(group, trajectories, (i) => A[i]),
      intermediate: {
        outcomeAdvantage: broadcastToTurns(group, trajectories, (i) => normalized[normalized.length - 1].advantage[i]),
      },
    };
  },

  compared: (group) => rewardsOf(group, chains(group)),

  outputs: {},
  stages: [
    normalizeStage(groupTrajectories, outcome, outcomeAdvantage),
    ...[...absentStages(turnAdvantage), turnCombineStage(turnAdvantage, 'alpha')].map((stage) =>
      adaptStage(stage, (values: NormalizationValues) => ({ ...values, ...AS_FIRST_TURN })),
    ),
    broadcastFirst,
  ],
});

/** Returns the compared rewards: one list per level, then the outcomes. @returns [rewards][trajectories] */
export function rewardsOf({ turns }: Group, trajectories: readonly Chain[]): number[][] {
  const levels = comparedTurns(trajectories, 'zero');
  return [
    ...levels.map((level) => level.map((turn) => (turn < 0 ? 0 : turns[turn].reward))),
    trajectories.map((chain) => chain.outcome),
  ];
}
