import type { ChoiceParameter, NumberParameter, ParameterTable, Values } from '../../parameters/parameters.ts';
import { mean, standardDeviation } from './statistics.ts';

/** The corners in which trainers disagree when they normalise the rewards of a group. */
export interface Normalization {
  /** Subtracted from the number of members under the standard deviation: 1 sample, 0 population. */
  readonly ddof: 0 | 1;
  /** Added to the standard deviation, in units of reward. */
  readonly epsilon: number;
  /** Divisor of the centred rewards: their standard deviation + epsilon, or no divisor. */
  readonly scale: 'std' | 'none';
  /** A group of one: advantage 0, or its reward with mean 0 and standard deviation 1. */
  readonly singleton: 'zero' | 'raw';
}

const PROFILE_NAMES = ['turnwise', 'trl', 'verl', 'rllm', 'dr-grpo'] as const;

/**
 * Named sets of corners. On rewards [1, 0, 0, 0] the first advantage is 1.499997 under `turnwise` and `verl`,
 * 1.4997 under `trl`, 1.732047 under `rllm` and 0.75 under `dr-grpo` (Liu et al. 2025, arXiv 2503.20783).
 */
export const PROFILES = {
  turnwise: { ddof: 1, epsilon: 1e-6, scale: 'std', singleton: 'zero' },
  trl: { ddof: 1, epsilon: 1e-4, scale: 'std', singleton: 'zero' },
  verl: { ddof: 1, epsilon: 1e-6, scale: 'std', singleton: 'raw' },
  rllm: { ddof: 0, epsilon: 1e-6, scale: 'std', singleton: 'raw' },
  'dr-grpo': { ddof: 1, epsilon: 1e-6, scale: 'none', singleton: 'zero' },
} as const satisfies Readonly<Record<(typeof PROFILE_NAMES)[number], Normalization>>;

/** The parameter that every normalising rule has. */
export const PROFILE = {
  kind: 'choice',
  name: 'profile',
  label: 'Normalisation',
  default: 'turnwise',
  options: PROFILE_NAMES,
  help: 'Whose constants normalise a group: degrees of freedom, epsilon, whether to divide by the deviation, lone rollouts.',
} as const satisfies ChoiceParameter;

// The individual corners. A given corner takes precedence over the value of the profile. A run offers the profile only.

export const DDOF = {
  kind: 'choice',
  name: 'ddof',
  control: false,
  optional: true,
  label: 'Degrees of freedom',
  default: '1',
  options: ['1', '0'],
  help: 'Subtracted from the number of members under the standard deviation: 1 sample, 0 population.',
} as const satisfies ChoiceParameter;

export const EPSILON = {
  kind: 'number',
  name: 'epsilon',
  control: false,
  optional: true,
  label: 'Epsilon',
  symbol: 'ε',
  default: PROFILES.turnwise.epsilon,
  min: 0,
  max: 1,
  step: 1e-6,
  help: 'Added to the standard deviation, in units of reward.',
} as const satisfies NumberParameter;

export const SCALE = {
  kind: 'choice',
  name: 'scale',
  control: false,
  optional: true,
  label: 'Scale',
  default: 'std',
  options: ['std', 'none'],
  help: 'What centred rewards are divided by: their standard deviation plus epsilon, or nothing.',
} as const satisfies ChoiceParameter;

export const SINGLETON = {
  kind: 'choice',
  name: 'singleton',
  control: false,
  optional: true,
  label: 'Lone rollouts',
  default: 'zero',
  options: ['zero', 'raw'],
  help: 'A group of one gets advantage 0, or its reward as if mean 0 and deviation 1.',
} as const satisfies ChoiceParameter;

/** The parameters of every rule that normalises. */
export const NORMALIZATION = [PROFILE, DDOF, EPSILON, SCALE, SINGLETON] as const satisfies ParameterTable;

/** The values of those that a rule has. */
export type NormalizationValues = Partial<Values<typeof NORMALIZATION>>;

/**
 * The corners that a rule's values choose: the profile's, the default profile's where they name none, and over them the
 * corners that they give themselves.
 */
export function normalizationOf(values: NormalizationValues): Normalization {
  const profile = PROFILES[values.profile ?? PROFILE.default];
  const { ddof, epsilon = profile.epsilon, scale = profile.scale, singleton = profile.singleton } = values;
  const given = [ddof, values.epsilon, values.scale, values.singleton].some((corner) => corner !== undefined);
  if (!given) return profile;
  return { ddof: ddof === undefined ? profile.ddof : ddof === '1' ? 1 : 0, epsilon, scale, singleton };
}

/** A normalised group with the two numbers that it was normalised by. */
export interface Normalized {
  /** [members], in the order given. */
  readonly advantage: Float64Array;
  /** 0 for no members, and for a lone member that keeps its reward. */
  readonly mean: number;
  /** With the profile's ddof; 0 for fewer than two members, 1 for a lone member that keeps its reward. */
  readonly std: number;
}

/**
 * (x - mean) / (std + epsilon) over the members of a group; exactly 0 where all of two or more members are equal.
 * Source: GRPO's outcome supervision (Shao et al. 2024, arXiv 2402.03300, section 4.1.2), whose text leaves the
 * corners open.
 * @param x [members], finite
 */
export function normalize(x: ArrayLike<number>, normalization: Normalization = PROFILES.turnwise): Normalized {
  const { ddof, epsilon, scale, singleton } = normalization;
  if (x.length === 1 && singleton === 'raw') {
    return { advantage: Float64Array.of(x[0] / (scale === 'std' ? 1 + epsilon : 1)), mean: 0, std: 1 };
  }
  // Equal members by comparison, not by arithmetic: the mean of three times 0.1 is not 0.1.
  if (allEqual(x)) return { advantage: new Float64Array(x.length), mean: x.length > 0 ? x[0] : 0, std: 0 };

  const center = mean(x);
  const std = standardDeviation(x, ddof);
  const divisor = scale === 'std' ? std + epsilon : 1;
  const advantage = new Float64Array(x.length);
  for (let i = 0; i < x.length; i++) advantage[i] = (x[i] - center) / divisor;
  return { advantage, mean: center, std };
}

/** True if all values are the same number, also for no value and for one value. */
export function allEqual(x: ArrayLike<number>): boolean {
  for (let i = 1; i < x.length; i++) if (x[i] !== x[0]) return false;
  return true;
}
