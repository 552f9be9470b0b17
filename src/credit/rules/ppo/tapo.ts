import type { NumberParameter } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { type Chain, chains, checkValues } from '../../arithmetic/chains.ts';
import { turnAwareReturns } from '../../arithmetic/returns.ts';
import { countOf } from '../../gpu/batchArrays.ts';
import { creditRule } from '../../rule.ts';
import { tokenReturnBindings, turnTokenMeanStage } from './gaeRules.ts';

const WEIGHT = { kind: 'number', min: 0, max: 5, step: 0.05 } as const;

const ABSOLUTE = {
  ...WEIGHT,
  name: 'abs',
  control: 'tapoAbs',
  label: 'Weight of the reward',
  symbol: 'abs',
  default: 0,
  help: 'Weight of the reward of a later program. 0 as in the paper: after the first program only the gain has a reward.',
} as const satisfies NumberParameter;

const IMPROVEMENT = {
  ...WEIGHT,
  name: 'imp',
  control: 'tapoImp',
  label: 'Weight of the gain',
  symbol: 'imp',
  default: 1,
  help: 'Weight of the gain: the reward of a later program minus the reward of the program before it.',
} as const satisfies NumberParameter;

const VERIFICATION = {
  ...WEIGHT,
  name: 'ver',
  control: 'tapoVer',
  label: 'Weight of tests',
  symbol: 'ver',
  default: 0.2,
  help: 'Weight of the reward of a verification. In the paper a right test counts a fifth of a right program.',
} as const satisfies NumberParameter;

export const tapo = creditRule({
  name: 'tapo',
  title: 'TAPO',
  family: 'critic',
  input: 'trajectories',
  reads: ['outcome', 'tokens', 'values'],
  turns: 'attempts',
  unit: 'token',
  parameters: [ABSOLUTE, IMPROVEMENT, VERIFICATION],
  laws: {
    scale: 'multiplied',
  },

  credit(group, weights) {
    const trajectories = chains(group);
    const values = group.turns.map((turn, index) => checkValues(group.id, index, turn));
    const returns: number[] = group.turns.map(() => Number.NaN);
    for (const chain of trajectories) {
      const turnReturns = turnAwareReturns(rewardsOf(group, chain), chain.outcome, weights);
      chain.turns.forEach((turn, position) => {
        returns[turn] = turnReturns[position];
      });
    }
    const A = values.map((turnValues, turn) => turnValues.map((V) => returns[turn] - V));
    return {
      advantage: Float64Array.from(A, (row) => row.reduce((sum, element) => sum + element, 0) / row.length),
      tokens: {
        advantages: Float64Array.from(A.flat()),
        returns: Float64Array.from(values.flatMap((turnValues, turn) => turnValues.map(() => returns[turn]))),
      },
      intermediate: {},
    };
  },

  // A rollout is compared with the critic, not with the rest of its group.
  compared: () => [],

  outputs: {},
  stages: [
    {
      kernel: 'credit/turn_aware_returns',
      bindings: tokenReturnBindings,
      count: countOf('trajectories'),
      uniforms: ({ abs, imp, ver }) => ({ absolute: abs, improvement: imp, verification: ver }),
    },
    turnTokenMeanStage,
  ],
});

/** Returns the reward of each turn of a trajectory [K]. */
export function rewardsOf({ turns }: Group, chain: Chain): number[] {
  return chain.turns.map((turn) => turns[turn].reward);
}
