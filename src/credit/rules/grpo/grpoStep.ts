import type { Group } from '../../../rollouts/forest.ts';
import { paths } from '../../arithmetic/chains.ts';
import { NORMALIZATION, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
import { discountedReturns } from '../../arithmetic/returns.ts';
import { normalizedLines, trajectoryAt } from '../../explanation/derivation.ts';
import { MEETING } from '../../explanation/examples.ts';
import { advantage, groupTurns, normalizeStage, SUM_TIE } from '../../gpu/batchArrays.ts';
import { creditRule } from '../../rule.ts';
import { BONUS, type Discounting, RTMC_GAMMA, returnLine, returnsStage, stepReturn } from '../tree/returns.ts';

/** GRPO-Step, the baseline of RTMC, which does not use states. */
export const grpoStep = creditRule({
  name: 'grpo-step',
  title: 'GRPO-Step',
  fullName: 'GRPO over single steps',
  idea: 'The discounted return of each turn is compared with the returns of all turns of the group, in any state.',
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
  family: 'group',
  input: 'trajectories',
  reads: [],
  turns: 'steps',
  unit: 'turn',
  parameters: [RTMC_GAMMA, BONUS, ...NORMALIZATION],
  example: MEETING,
  laws: {
    parameters: { epsilon: 0, gamma: 0.5 },
    scale: 'same',
    zeroSums: ({ advantage }) => [[...advantage]],
  },

  credit(group, values) {
    const G = returns(group, values);
    const { advantage, mean, std } = normalize(G, normalizationOf(values));
    return { advantage, intermediate: { return: G, mean: G.map(() => mean), std: G.map(() => std) } };
  },

  worked(turn, group, { intermediate }, values) {
    const all = paths(group).map((turns) => ({ turns }));
    const G = intermediate.return;
    return [
      returnLine(turn, group, all[trajectoryAt(all, turn)].turns, G, values),
      ...normalizedLines({ symbols: ['A', 'G'], values: G, at: turn, normalization: normalizationOf(values) }),
    ];
  },

  compared: (group, values) => [returns(group, values)],

  outputs: { return: stepReturn },
  stages: [returnsStage, normalizeStage(groupTurns, stepReturn, advantage, { tie: SUM_TIE })],
});

/** Returns the discounted return from each turn [turns]. */
function returns(group: Group, { gamma, bonus }: Discounting): Float64Array {
  return discountedReturns(group, paths(group), gamma, bonus).step;
}
