import type { ParameterValues } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { paths } from '../../arithmetic/chains.ts';
import { discountedReturns } from '../../arithmetic/discountedReturns.ts';
import { NORMALIZATION, normalization, normalize } from '../../arithmetic/normalize.ts';
import { advantage, groupTurns, normalizeStage, SUM_TIE } from '../../gpu/batchArrays.ts';
import type { CreditRule } from '../../rule.ts';
import { MEETING } from '../../telling/examples.ts';
import { normalizedLines, trajectoryAt } from '../../telling/worked.ts';
import { BONUS, RTMC_GAMMA, returnLine, returnsStage, stepReturn } from '../tree/returns.ts';

/** A_t = normalize(G_t) over all turns of all trajectories of the group: RTMC's baseline, which knows no states. */
export const grpoStep: CreditRule = {
  name: 'grpo-step',
  title: 'GRPO-Step',
  idea: 'The discounted return of each turn is compared with those of all turns of the group, whatever they stood before.',
  paper: {
    title: 'RTMC: Step-Level Credit Assignment via Rollout Trees',
    reference: 'Wang, Zheng, Xu 2026, arXiv 2604.11037',
    equation: 'baseline with step rewards: A_t = (G_t − mean(G)) / std(G)',
  },
  formula: [
    'r_t = reward of the turn, + bonus if it validates, + outcome on the last turn',
    'G_t = r_t + γ G_{t+1}',
    'A_t = (G_t − mean G) / (std G + ε) over all turns of the group',
  ],
  input: 'trajectories',
  reads: [],
  unit: 'turn',
  parameters: [RTMC_GAMMA, BONUS, ...NORMALIZATION],
  example: MEETING,

  credit(group, parameters) {
    const G = returns(group, parameters);
    const { advantage, mean, std } = normalize(G, normalization(parameters));
    return { advantage, intermediate: { return: G, mean: G.map(() => mean), std: G.map(() => std) } };
  },

  worked(turn, group, { intermediate }, parameters) {
    const { gamma, bonus } = options(parameters);
    const all = paths(group).map((turns) => ({ turns }));
    const G = intermediate.return;
    return [
      returnLine(turn, group, all[trajectoryAt(all, turn)].turns, G, gamma, bonus),
      ...normalizedLines({ symbols: ['A', 'G'], values: G, at: turn, how: normalization(parameters) }),
    ];
  },

  compared: (group, parameters) => [returns(group, parameters)],

  outputs: { return: stepReturn },
  stages: [returnsStage(options), normalizeStage(groupTurns, stepReturn, advantage, { tie: SUM_TIE })],
};

function options({ gamma = RTMC_GAMMA.default, bonus = BONUS.default }: ParameterValues) {
  return { gamma: Number(gamma), bonus: Number(bonus) };
}

/** [turns] */
function returns(group: Group, parameters: ParameterValues): Float64Array {
  const { gamma, bonus } = options(parameters);
  return discountedReturns(group, paths(group), gamma, bonus).step;
}
