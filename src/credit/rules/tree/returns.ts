import type { NumberParameter } from '../../../parameters/parameters.ts';
import { checkOutcome } from '../../arithmetic/chains.ts';
import { countOf, reward, trajectoryTurns } from '../../gpu/batchArrays.ts';
import type { ForestView } from '../../gpu/forestView.ts';
import { type BatchArray, type Stage, scratch } from '../../gpu/stage.ts';

// Shared parts of RTMC, GRPO-Step, GiGPO and IGPO. These rules compare discounted returns (discountedReturns) of
// turns. The last turn has the outcome as an additional reward.

const GAMMA = {
  kind: 'number',
  name: 'gamma',
  label: 'Discount per turn',
  symbol: 'γ',
  default: 1,
  min: 0,
  max: 1,
  step: 0.01,
  help: 'Factor of a reward for the turn before it. At 0 a turn is credited only for its own reward, at 1 for all later rewards.',
} as const satisfies NumberParameter;

/** Discount of RTMC and GRPO-Step, 0.99 as in RTMC. */
export const RTMC_GAMMA = { ...GAMMA, control: 'rtmcGamma', default: 0.99 } as const satisfies NumberParameter;
/** Discount of GiGPO, 0.95 as in the training of its authors. */
export const GIGPO_GAMMA = { ...GAMMA, control: 'gigpoGamma', default: 0.95 } as const satisfies NumberParameter;

/** Discount of IGPO, 1 by default. */
export const IGPO_GAMMA = {
  ...GAMMA,
  control: 'igpoGamma',
  help: 'Factor of a gain for the turn before it. At 0 a turn is credited only for its own gain, at 1 for all later gains.',
} as const satisfies NumberParameter;

/** Bonus of RTMC for a turn that validates. */
export const BONUS = {
  kind: 'number',
  name: 'bonus',
  label: 'Validation bonus',
  default: 0,
  min: 0,
  max: 1,
  step: 0.01,
  help: 'Added to the reward of a turn that checks an earlier change, for example by running tests.',
} as const satisfies NumberParameter;

/** Settings of the returns: the discount per turn, and the bonus for validation. */
export interface Discounting {
  readonly gamma: number;
  readonly bonus: number;
}

/** Mask of turns that validate [turns], 1 or 0. */
const validates: BatchArray = {
  label: 'validates',
  type: 'f32',
  extent: 'turns',
  fill: (view) => view.turnsOf(({ validates }) => Number(validates === true)),
};

/** R^O of each trajectory [trajectories], 0 if there is no outcome. */
const finalReward: BatchArray = {
  label: 'outcome or 0',
  type: 'f32',
  extent: 'trajectories',
  fill: ({ forest: { groups, groupOffset }, trajectories: { turns, group } }: ForestView) =>
    Float64Array.from(group, (g, i) => {
      const last = turns.member[turns.offset[i + 1] - 1] - groupOffset[g];
      return checkOutcome(groups[g].id, last, groups[g].turns[last].outcome ?? 0);
    }),
};

/** Discounted return G_t from each turn [turns]. */
export const stepReturn = scratch('stepReturn', 'turns');
/** Undiscounted return R_i of each trajectory [trajectories]. */
export const episodeReturn = scratch('episodeReturn', 'trajectories');

/** Stage that writes `stepReturn` and `episodeReturn`. */
export const returnsStage: Stage<Discounting> = {
  kernel: 'credit/discounted_returns',
  bindings: {
    turnOffset: trajectoryTurns.offset,
    turn: trajectoryTurns.member,
    reward,
    validates,
    finalReward,
    stepReturn,
    episodeReturn,
  },
  count: countOf('trajectories'),
  uniforms: ({ gamma, bonus }) => ({ gamma, bonus }),
};
