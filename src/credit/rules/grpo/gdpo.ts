import type { Group } from '../../../rollouts/forest.ts';
import { broadcastToTurns, type Chain, chains, comparedTurns, lastTurnValues } from '../../arithmetic/chains.ts';
import { NORMALIZATION, type NormalizationValues, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
import { equation, normalizedLines, sumOf, trajectoryAt } from '../../explanation/derivation.ts';
import { TWO_TURNS } from '../../explanation/examples.ts';
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
  fullName: 'group reward-decoupled normalization policy optimization',
  idea: 'Each reward is normalised separately over the rollouts, and every turn of a rollout gets the sum.',
  paper: {
    title: 'GDPO: Group reward-Decoupled Normalization Policy Optimization for Multi-reward RL Optimization',
    reference: 'Liu, Dong et al. 2026, arXiv 2601.05242; NVlabs/GDPO, trl-0.18.0-gdpo, grpo_trainer.py',
    equation: 'A_sum = Σ_n (r_n − mean(r_n)) / std(r_n) over the group, then normalised over the batch',
  },
  formula: [
    'R^I_{i,l} = 0 for l ≥ K_i: a rollout without turn l has no reward there',
    'A^I_{i,l} = normalise R^I_{i,l} over the group, for each l; A^O_i = normalise R^O_i over the group',
    'A_i = Σ_l A^I_{i,l} + A^O_i, the same for every turn of rollout i',
    'in an update: (A_i − mean A) / (std A + 10⁻⁴) over all rollouts of the batch',
  ],
  family: 'group',
  input: 'trajectories',
  reads: ['outcome'],
  turns: 'steps',
  unit: 'turn',
  sharesInRollout: true,
  batch: 'rollouts',
  parameters: NORMALIZATION,
  example: TWO_TURNS,
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

  worked(turn, group, credit, values) {
    const trajectories = chains(group);
    const at = trajectoryAt(trajectories, turn);
    const normalization = normalizationOf(values);
    const all = rewardsOf(group, trajectories);
    const lines = all.flatMap((rewards, l) => {
      const name = l === all.length - 1 ? 'O' : `I_${l + 1}`;
      return normalizedLines({ symbols: [`A^${name}`, `R^${name}`], values: rewards, at, normalization });
    });
    const each = all.map((rewards) => normalize(rewards, normalization).advantage[at]);
    return [...lines, equation('A', sumOf(each), credit.advantage[turn])];
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
function rewardsOf({ turns }: Group, trajectories: readonly Chain[]): number[][] {
  const levels = comparedTurns(trajectories, 'zero');
  return [
    ...levels.map((level) => level.map((turn) => (turn < 0 ? 0 : turns[turn].reward))),
    trajectories.map((chain) => chain.outcome),
  ];
}
