import type { ChoiceParameter, NumberParameter, ParameterValues } from '../../../parameters/parameters.ts';
import { NORMALIZATION } from '../../arithmetic/normalize.ts';
import { INTER, INTRA, PRUNING_FORMULA } from '../../arithmetic/pruning.ts';
import { SUM_TIE } from '../../gpu/batchArrays.ts';
import type { CreditRule } from '../../rule.ts';
import { operand, shown, sumOf } from '../../telling/worked.ts';
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

const GAMMA: NumberParameter = {
  kind: 'number',
  name: 'gamma',
  control: 'mersGamma',
  label: 'Weight of continuations',
  symbol: 'γ',
  default: 0.9,
  min: 0,
  max: 1,
  step: 0.05,
  help: 'How much the mean of what a turn led to counts beside its own reward. At 0 a continued turn has its own reward alone, divided by Z.',
};

const NORMALIZER: ChoiceParameter = {
  kind: 'choice',
  name: 'normalizer',
  control: 'mersNormalizer',
  label: 'Divisor of continued turns',
  symbol: 'Z',
  default: 'depth',
  options: ['depth', 'components'],
  help: 'Z: the turns that the budget has left, this one counted (depth), or 2, as many as there are summands (components). They agree for two turns.',
};

/** R̂_i = (R_i + γ mean over continuations j of R̂_j) / Z. */
function discountedMean({ gamma = GAMMA.default, normalizer = NORMALIZER.default }: ParameterValues): Backup {
  return {
    below: (credited) => credited.reduce((sum, R) => sum + R, 0) / credited.length,
    combine: (R, below, left) => (R + Number(gamma) * below) / (normalizer === 'depth' ? left : 2),
    text: (R, credited, left) => {
      const mean = credited.length === 1 ? operand(credited[0]) : `(${sumOf(credited)}) / ${credited.length}`;
      return `(${shown(R)} + ${shown(Number(gamma))} · ${mean}) / ${normalizer === 'depth' ? left : 2}`;
    },
  };
}

/** Mean reward strategy: a turn shares in the mean of what came of it, then is compared within its response group. */
export const murphyMers: CreditRule = {
  name: 'murphy-mers',
  title: 'Murphy-MeRS',
  idea: 'A failed attempt is worth its own reward and a share of what the attempts from its feedback reached on average; a lucky continuation counts less than a reliable one.',
  paper: { ...MURPHY_PAPER, equation: 'MeRS: R̂_i = (R_i + γ mean_{j continues i} R̂_j) / (S − s + 1)' },
  formula: [
    'R̂_i = (R_i + γ mean_{j continues i} R̂_j) / Z, leaves first; R̂_i = R_i where nothing continues i',
    'Z = S − s + 1 for turn s of at most S, or Z = 2',
    'A_i = (R̂_i − mean_j R̂_j) / (std_j R̂_j + ε) over the turns j of its response group',
    ...PRUNING_FORMULA,
  ],
  input: 'forest',
  reads: [],
  unit: 'turn',
  parameters: [GAMMA, NORMALIZER, INTRA, INTER, MAX_TURNS, ...NORMALIZATION],
  example: FEEDBACK_TREE,

  credit: (group, parameters) => murphyCredit(group, parameters, discountedMean(parameters)),
  worked: (turn, group, credit, parameters) =>
    murphyWorked(turn, group, credit, parameters, discountedMean(parameters)),
  compared: (group, parameters) => murphyCompared(group, parameters, discountedMean(parameters)),

  ...MURPHY_ARRAYS,
  stages: murphyStages(
    ({ gamma = GAMMA.default, normalizer = NORMALIZER.default }) => ({
      mean: 1,
      gamma: Number(gamma),
      components: Number(normalizer === 'components'),
    }),
    SUM_TIE,
  ),
};
