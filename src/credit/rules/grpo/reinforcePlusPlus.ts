import type { ChoiceParameter } from '../../../parameters/parameters.ts';
import { broadcastToTurns, chains, outcomesOf } from '../../arithmetic/chains.ts';
import { normalize, PROFILES } from '../../arithmetic/normalize.ts';
import {
  broadcastStage,
  groupTrajectories,
  normalizeStageBy,
  outcome,
  outcomeAdvantage,
} from '../../gpu/batchArrays.ts';
import { creditRule } from '../../rule.ts';

const BASELINE = {
  kind: 'choice',
  name: 'baseline',
  control: 'groupBaseline',
  label: 'Baseline',
  default: 'none',
  options: ['none', 'group'],
  optionLabels: { none: 'mean of the batch', group: 'mean of the group' },
  help:
    'Subtracted before the normalisation over the batch. None: only the mean of the batch is subtracted. ' +
    'Group: the mean of the group, as in REINFORCE++ with baseline.',
} as const satisfies ChoiceParameter;

export const normalization = PROFILES['dr-grpo'];

/**
 * REINFORCE++. The paper's penalty for the distance to the reference policy is the KL term of a run, not part of the
 * credit.
 */
export const reinforcePlusPlus = creditRule({
  name: 'reinforce-plus-plus',
  title: 'REINFORCE++',
  family: 'other',
  input: 'trajectories',
  reads: ['outcome'],
  rewards: 'outcome',
  unit: 'turn',
  sharesInRollout: true,
  batch: 'tokens',
  parameters: [BASELINE],
  laws: { shift: ['reward'], scale: 'multiplied' },

  credit(group, { baseline }) {
    const trajectories = chains(group);
    const R = outcomesOf(group);
    const { advantage: A, mean } = normalize(R, normalization);
    return {
      advantage: broadcastToTurns(group, trajectories, (i) => (baseline === 'group' ? A[i] : R[i])),
      intermediate: {
        outcome: broadcastToTurns(group, trajectories, (i) => R[i]),
        mean: broadcastToTurns(group, trajectories, () => mean),
      },
    };
  },

  // Without a baseline, the rollouts of a group are not compared, and equal outcomes also give a gradient.
  compared: (group, { baseline }) => (baseline === 'group' ? [outcomesOf(group)] : []),

  outputs: {},
  stages: [
    { ...broadcastStage(outcome), when: ({ baseline }) => baseline === 'none' },
    {
      ...normalizeStageBy(() => normalization, groupTrajectories, outcome, outcomeAdvantage),
      when: ({ baseline }) => baseline === 'group',
    },
    { ...broadcastStage(outcomeAdvantage), when: ({ baseline }) => baseline === 'group' },
  ],
});
