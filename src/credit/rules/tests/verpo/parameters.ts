import type { ParameterTable, Values } from '../../../../parameters/parameters.ts';
import { NORMALIZATION, type Normalization, normalizationOf, PROFILES } from '../../../arithmetic/normalize.ts';

/**
 * Options for the reward of a passed test: the weights of the paper, ablations of them, or powers of failure rates as
 * shares of 1. The last option is another reading of the paper's text.
 */
const TURN_REWARDS = ['difficulty-density', 'difficulty', 'failure-rate', 'pass-rate', 'none'] as const;
export type TurnReward = (typeof TURN_REWARDS)[number];

export const VERPO_PARAMETERS = [
  {
    kind: 'number',
    name: 'alpha',
    control: 'verpoAlpha',
    label: 'Weight of difficulty',
    symbol: 'α',
    default: 2,
    min: 0,
    max: 10,
    step: 0.1,
    help: 'Rate at which a test loses weight with the share of turns that pass it. At 0 easy and hard tests count the same.',
  },
  {
    kind: 'number',
    name: 'bandwidth',
    control: 'verpoBandwidth',
    label: 'Bandwidth',
    symbol: 'σ',
    default: 0,
    min: 0,
    max: 1,
    step: 0.01,
    help: 'Distance of pass rates at which tests share their weight. 0: half the deviation of the pass rates.',
  },
  {
    kind: 'number',
    name: 'decay',
    control: 'verpoDecay',
    label: 'Decay per turn',
    default: 0.95,
    min: 0,
    max: 1,
    step: 0.01,
    help: 'Factor of the reward for a solved task for each turn after the first. At 1 slow rollouts lose nothing.',
  },
  {
    kind: 'number',
    name: 'beta',
    control: 'verpoBeta',
    label: 'Weight of turns',
    symbol: 'β',
    default: 1,
    min: 0,
    max: 5,
    step: 0.05,
    help: 'Weight of the tests that a turn passes, relative to the end of its rollout. At 0 all turns of a rollout share one credit.',
  },
  {
    kind: 'choice',
    name: 'turn',
    control: 'verpoTurn',
    label: 'Weight of a test',
    default: 'difficulty-density',
    options: TURN_REWARDS,
    help:
      'By difficulty and the number of similar tests, by difficulty alone, by (1 − ρ)^α as a share of all tests, the same ' +
      'for all, or no turn rewards. Our copy of the paper lacks its equations: the first option is one reading of its text, ' +
      'the third another.',
  },
  {
    kind: 'boolean',
    name: 'trajectory',
    control: 'verpoTrajectory',
    label: 'Reward for a solved task',
    default: 'true',
    help: 'Adds a reward to a rollout whose last turn passes every test.',
  },
  {
    kind: 'choice',
    name: 'norm',
    control: 'verpoNorm',
    label: 'Comparison',
    default: 'centre',
    options: ['centre', 'std'],
    help: 'Rewards minus their mean over the group (centre), or also divided by their deviation (std), with the normalisation.',
  },
  ...NORMALIZATION,
] as const satisfies ParameterTable;

export type VerpoValues = Values<typeof VERPO_PARAMETERS>;

/** Returns the normalisation of the rewards of turns and trajectories. R - mean is the normalisation of Dr. GRPO. */
export function comparison(values: VerpoValues): Normalization {
  return values.norm === 'std' ? normalizationOf(values) : PROFILES['dr-grpo'];
}
