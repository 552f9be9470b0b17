import type { Group } from '../../../rollouts/forest.ts';
import { paths } from '../../arithmetic/chains.ts';
import { NORMALIZATION, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
import { discountedReturns } from '../../arithmetic/returns.ts';
import { advantage, groupTurns, normalizeStage, SUM_TIE } from '../../gpu/batchArrays.ts';
import { creditRule } from '../../rule.ts';
import { BONUS, type Discounting, RTMC_GAMMA, returnsStage, stepReturn } from '../tree/returns.ts';

/** GRPO-Step, the baseline of RTMC, which does not use states. */
export const grpoStep = creditRule({
  name: 'grpo-step',
  title: 'GRPO-Step',
  family: 'group',
  input: 'trajectories',
  reads: [],
  turns: 'steps',
  unit: 'turn',
  parameters: [RTMC_GAMMA, BONUS, ...NORMALIZATION],
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

  compared: (group, values) => [returns(group, values)],

  outputs: { return: stepReturn },
  stages: [returnsStage, normalizeStage(groupTurns, stepReturn, advantage, { tie: SUM_TIE })],
});

/** Returns the discounted return from each turn [turns]. */
function returns(group: Group, { gamma, bonus }: Discounting): Float64Array {
  return discountedReturns(group, paths(group), gamma, bonus).step;
}
