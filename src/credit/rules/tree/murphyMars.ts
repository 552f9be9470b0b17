import { NORMALIZATION } from '../../arithmetic/normalize.ts';
import { INTER, INTRA, PRUNING_FORMULA } from '../../arithmetic/pruning.ts';
import type { CreditRule } from '../../rule.ts';
import { shown } from '../../telling/worked.ts';
import type { Backup } from './murphy.ts';
import {
  FEEDBACK_TREE,
  MAX_TURNS,
  MURPHY_ARRAYS,
  MURPHY_PAPER,
  murphyCompared,
  murphyCredit,
  murphyStages,
  murphyWorked,
} from './murphy.ts';

/** R̂_i = max(R_i, max over continuations j of R̂_j). */
const BEST: Backup = {
  below: (credited) => credited.reduce((most, R) => Math.max(most, R)),
  combine: (R, below) => Math.max(R, below),
  text: (R, credited) => `max(${[R, ...credited].map(shown).join(', ')})`,
};

/** Max reward strategy: a turn is credited with the best that came of it, then compared within its response group. */
export const murphyMars: CreditRule = {
  name: 'murphy-mars',
  title: 'Murphy-MaRS',
  idea: 'A failed attempt is worth as much as the best attempt that its feedback led to, and is compared with the attempts from the same context.',
  paper: { ...MURPHY_PAPER, equation: 'MaRS: R̂_i = max(R_i, max_{j continues i} R̂_j)' },
  formula: [
    'R̂_i = max(R_i, max_{j continues i} R̂_j), leaves first; R̂_i = R_i where nothing continues i',
    'A_i = (R̂_i − mean_j R̂_j) / (std_j R̂_j + ε) over the turns j of its response group',
    ...PRUNING_FORMULA,
  ],
  input: 'forest',
  reads: [],
  unit: 'turn',
  parameters: [INTRA, INTER, MAX_TURNS, ...NORMALIZATION],
  example: FEEDBACK_TREE,

  credit: (group, parameters) => murphyCredit(group, parameters, BEST),
  worked: (turn, group, credit, parameters) => murphyWorked(turn, group, credit, parameters, BEST),
  compared: (group, parameters) => murphyCompared(group, parameters, BEST),

  ...MURPHY_ARRAYS,
  // Rewards as they were given: equal ones are equal in float32 too.
  stages: murphyStages(() => ({ mean: 0, gamma: 1, components: 0 }), 0),
};
