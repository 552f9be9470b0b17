import { siblingValues } from '../../arithmetic/chains.ts';
import { PRUNING_FORMULA } from '../../arithmetic/responseGroups.ts';
import { formatNumber } from '../../explanation/derivation.ts';
import { creditRule } from '../../rule.ts';
import {
  type Backup,
  deriveMurphyTurn,
  FEEDBACK_TREE,
  MURPHY_ARRAYS,
  MURPHY_PAPER,
  MURPHY_PARAMETERS,
  murphyCompared,
  murphyCredit,
  murphyStages,
} from './murphy.ts';

const BEST: Backup = {
  below: (backedUpRewards) => backedUpRewards.reduce((maximum, R) => Math.max(maximum, R)),
  combine: (R, below) => Math.max(R, below),
  text: (R, backedUpRewards) => `max(${[R, ...backedUpRewards].map(formatNumber).join(', ')})`,
};

/** Murphy-MaRS, the maximum reward strategy of the paper. */
export const murphyMars = creditRule({
  name: 'murphy-mars',
  title: 'Murphy-MaRS',
  fullName: 'Murphy, maximum reward strategy',
  idea: 'The reward of a failed attempt is raised to the reward of the best attempt that its feedback led to.',
  paper: { ...MURPHY_PAPER, equation: 'MaRS: R̂_i = max(R_i, max_{j continues i} R̂_j)' },
  formula: [
    'R̂_i = max(R_i, max_{j continues i} R̂_j), leaves first; R̂_i = R_i where nothing continues i',
    'A_i = (R̂_i − mean_j R̂_j) / (std_j R̂_j + ε) over the turns j of its response group',
    ...PRUNING_FORMULA,
  ],
  family: 'tree',
  input: 'forest',
  reads: [],
  rewards: 'attempts',
  turns: 'attempts',
  unit: 'turn',
  parameters: MURPHY_PARAMETERS,
  example: FEEDBACK_TREE,
  laws: {
    parameters: { epsilon: 0 },
    shift: ['reward'],
    scale: 'same',
    zeroSums: ({ advantage }, group) => siblingValues(group, advantage),
  },

  credit: (group, values) => murphyCredit(group, values, BEST),
  worked: (turn, group, credit, values) => deriveMurphyTurn(turn, group, credit, values, BEST),
  compared: (group, values) => murphyCompared(group, values, BEST),

  ...MURPHY_ARRAYS,
  // Backed-up rewards are rewards of the input, so equal rewards are also equal in float32.
  stages: murphyStages(() => ({ mean: 0, gamma: 1, components: 0 }), 0),
});
