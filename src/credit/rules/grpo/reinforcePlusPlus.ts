import type { ChoiceParameter } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { broadcastToTurns, chains } from '../../arithmetic/chains.ts';
import { normalize, PROFILES } from '../../arithmetic/normalize.ts';
import { formatNumber, normalizedLines, trajectoryAt } from '../../explanation/derivation.ts';
import { TWO_TURNS } from '../../explanation/examples.ts';
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

const normalization = PROFILES['dr-grpo'];

/**
 * REINFORCE++. The paper's penalty for the distance to the reference policy is the KL term of a run, not part of the
 * credit.
 */
export const reinforcePlusPlus = creditRule({
  name: 'reinforce-plus-plus',
  title: 'REINFORCE++',
  fullName: 'REINFORCE with advantages normalised over the batch',
  idea: 'Every turn of a rollout gets its outcome, compared with the outcomes of the whole batch instead of its group.',
  paper: {
    title: 'REINFORCE++: Stabilizing Critic-Free Policy Optimization with Global Advantage Normalization',
    reference: 'Hu, Liu et al. 2025, arXiv 2501.03262v9; verl, core_algos.py, reinforce_plus_plus and its baseline',
    equation: 'A^norm = (A − mean(A)) / std(A) over all tokens of the batch; with baseline A = R − mean_group(R)',
  },
  formula: [
    'A_i = R^O_i, the same for every turn of rollout i',
    'baseline = group: A_i = R^O_i − mean_j R^O_j',
    'in an update: (A_i − mean A) / (std A + 10⁻⁴) over all tokens of the batch',
  ],
  family: 'other',
  input: 'trajectories',
  reads: ['outcome'],
  rewards: 'outcome',
  unit: 'turn',
  sharesInRollout: true,
  batch: 'tokens',
  parameters: [BASELINE],
  example: TWO_TURNS,
  laws: { shift: ['reward'], scale: 'multiplied' },

  credit(group, { baseline }) {
    const trajectories = chains(group);
    const R = outcomes(group);
    const { advantage: A, mean } = normalize(R, normalization);
    return {
      advantage: broadcastToTurns(group, trajectories, (i) => (baseline === 'group' ? A[i] : R[i])),
      intermediate: {
        outcome: broadcastToTurns(group, trajectories, (i) => R[i]),
        mean: broadcastToTurns(group, trajectories, () => mean),
      },
    };
  },

  worked(turn, group, { advantage }, { baseline }) {
    const at = trajectoryAt(chains(group), turn);
    if (baseline === 'none') return [`A = R^O = ${formatNumber(advantage[turn])}`];
    return normalizedLines({ symbols: ['A', 'R^O'], values: outcomes(group), at, normalization });
  },

  // Without a baseline, the rollouts of a group are not compared, and equal outcomes also give a gradient.
  compared: (group, { baseline }) => (baseline === 'group' ? [outcomes(group)] : []),

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

/** Returns R^O of each trajectory [trajectories]. */
function outcomes(group: Group): number[] {
  return chains(group).map((chain) => chain.outcome);
}
