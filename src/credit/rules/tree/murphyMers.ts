import type { ChoiceParameter, NumberParameter, Values } from '../../../parameters/parameters.ts';
import { siblingValues } from '../../arithmetic/chains.ts';
import { PRUNING_FORMULA } from '../../arithmetic/responseGroups.ts';
import { formatNumber, operand, sumOf } from '../../explanation/derivation.ts';
import { SUM_TIE } from '../../gpu/batchArrays.ts';
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

const GAMMA = {
  kind: 'number',
  name: 'gamma',
  control: 'mersGamma',
  label: 'Weight of continuations',
  symbol: 'γ',
  default: 0.9,
  min: 0,
  max: 1,
  step: 0.05,
  help: 'Weight of the mean reward of the continuations of a turn. At 0 a continued turn has only its own reward, divided by Z.',
} as const satisfies NumberParameter;

const NORMALIZER = {
  kind: 'choice',
  name: 'normalizer',
  control: 'mersNormalizer',
  label: 'Divisor of continued turns',
  symbol: 'Z',
  default: 'depth',
  options: ['depth', 'components'],
  help: 'Z: the turns that remain in the budget, including this one (depth), or 2, the number of summands (components). They agree for two turns.',
} as const satisfies ChoiceParameter;

const PARAMETERS = [GAMMA, NORMALIZER, ...MURPHY_PARAMETERS] as const;

function discountedMean({ gamma, normalizer }: Values<typeof PARAMETERS>): Backup {
  return {
    below: (backedUpRewards) => backedUpRewards.reduce((sum, R) => sum + R, 0) / backedUpRewards.length,
    combine: (R, below, left) => (R + gamma * below) / (normalizer === 'depth' ? left : 2),
    text: (R, backedUpRewards, left) => {
      const mean =
        backedUpRewards.length === 1
          ? operand(backedUpRewards[0])
          : `(${sumOf(backedUpRewards)}) / ${backedUpRewards.length}`;
      return `(${formatNumber(R)} + ${formatNumber(gamma)} · ${mean}) / ${normalizer === 'depth' ? left : 2}`;
    },
  };
}

/** Murphy-MeRS, the mean reward strategy of the paper. */
export const murphyMers = creditRule({
  name: 'murphy-mers',
  title: 'Murphy-MeRS',
  fullName: 'Murphy, mean reward strategy',
  idea: 'The reward of a failed attempt includes a share of the mean reward of the attempts that its feedback led to.',
  paper: { ...MURPHY_PAPER, equation: 'MeRS: R̂_i = (R_i + γ mean_{j continues i} R̂_j) / (S − s + 1)' },
  formula: [
    'R̂_i = (R_i + γ mean_{j continues i} R̂_j) / Z, leaves first; R̂_i = R_i where nothing continues i',
    'Z = S − s + 1 for turn s of at most S, or Z = 2',
    'A_i = (R̂_i − mean_j R̂_j) / (std_j R̂_j + ε) over the turns j of its response group',
    ...PRUNING_FORMULA,
  ],
  family: 'tree',
  input: 'forest',
  reads: [],
  rewards: 'attempts',
  turns: 'attempts',
  unit: 'turn',
  parameters: PARAMETERS,
  example: FEEDBACK_TREE,
  // Rewards have no shift law, because Z divides only turns with continuations.
  laws: {
    parameters: { epsilon: 0, gamma: 0.5 },
    scale: 'same',
    zeroSums: ({ advantage }, group) => siblingValues(group, advantage),
  },

  credit: (group, values) => murphyCredit(group, values, discountedMean(values)),
  worked: (turn, group, credit, values) => deriveMurphyTurn(turn, group, credit, values, discountedMean(values)),
  compared: (group, values) => murphyCompared(group, values, discountedMean(values)),

  ...MURPHY_ARRAYS,
  stages: murphyStages(
    ({ gamma, normalizer }: Values<typeof PARAMETERS>) => ({
      mean: 1,
      gamma,
      components: Number(normalizer === 'components'),
    }),
    SUM_TIE,
  ),
});
