import type { Group } from '../../../rollouts/forest.ts';
import type { CreditRule } from '../../rule.ts';
import { MURPHY_PAPER } from '../tree/murphy.ts';
import { grpoOr } from './grpoOr.ts';

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
