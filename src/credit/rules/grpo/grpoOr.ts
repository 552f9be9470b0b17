import type { Group } from '../../../rollouts/forest.ts';
import { broadcastToTurns, chains, lastTurnValues } from '../../arithmetic/chains.ts';
import { NORMALIZATION, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
import { normalizedLines, trajectoryAt } from '../../explanation/derivation.ts';
import { TWO_TURNS } from '../../explanation/examples.ts';
import { broadcastStage, groupTrajectories, normalizeStage, outcome, outcomeAdvantage } from '../../gpu/batchArrays.ts';
import { type CreditRule, creditRule } from '../../rule.ts';
import { MURPHY_PAPER } from '../tree/murphy.ts';

export const grpoOr = creditRule({
  name: 'grpo-or',
  title: 'GRPO-OR',
  fullName: 'GRPO, outcome reward',
  idea: 'Every turn of a rollout gets the same credit: its outcome compared with the outcomes of the group.',
  paper: {
    title: 'DeepSeekMath: Pushing the Limits of Mathematical Reasoning in Open Language Models',
    reference: 'Shao et al. 2024, arXiv 2402.03300',
    equation: 'section 4.1.2: A_i = (R^O_i − mean(R^O)) / std(R^O)',
  },
  formula: ['A_i = (R^O_i − mean_j R^O_j) / (std_j R^O_j + ε), the same for every turn of rollout i'],
  family: 'group',
  input: 'trajectories',
  reads: ['outcome'],
  rewards: 'outcome',
  unit: 'turn',
  sharesInRollout: true,
  parameters: NORMALIZATION,
  example: TWO_TURNS,
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

  worked: (turn, group, _, values) =>
    normalizedLines({
      symbols: ['A', 'R^O'],
      values: outcomes(group),
      at: trajectoryAt(chains(group), turn),
      normalization: normalizationOf(values),
    }),

  compared: (group) => [outcomes(group)],

  outputs: {},
  stages: [normalizeStage(groupTrajectories, outcome, outcomeAdvantage), broadcastStage(outcomeAdvantage)],
});

/** Returns R^O of each trajectory [trajectories]. */
function outcomes(group: Group): number[] {
  return chains(group).map((chain) => chain.outcome);
}

/**
 * Four rollouts of programs: the first solves the task, one repairs its program, one does not improve, one reaches
 * reward 0.5.
 */
const SINGLE_REFINEMENT: Group = {
  id: 'one refinement',
  turns: [
    { parent: -1, reward: 1, outcome: 1, solved: true },
    { parent: -1, reward: 0.5, solved: false },
    { parent: 1, reward: 1, outcome: 1, solved: true },
    { parent: -1, reward: 0, solved: false },
    { parent: 3, reward: 0, outcome: 0, solved: false },
    { parent: -1, reward: 0, solved: false },
    { parent: 5, reward: 0.5, outcome: 0.5, solved: false },
  ],
};

/** GRPO-MT, the baseline of Murphy: GRPO-OR on chains in which a failed attempt has one refinement. */
export const grpoMt: CreditRule = {
  ...grpoOr,
  name: 'grpo-mt',
  title: 'GRPO-MT',
  fullName: 'GRPO on multi-turn rollouts: one credit for all attempts. Not MT-GRPO.',
  idea: 'A failed attempt continues with one refinement, and both get the same credit for the outcome of the last attempt.',
  paper: {
    ...MURPHY_PAPER,
    equation: 'baseline GRPO on multi-turn rollouts: A_i = (R^O_i − mean(R^O)) / std(R^O), the same for every turn',
  },
  turns: 'attempts',
  example: SINGLE_REFINEMENT,
};
