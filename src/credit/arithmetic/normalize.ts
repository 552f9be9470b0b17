import { square } from '../../numbers/exponential.ts';
import type { ChoiceParameter, NumberParameter, ParameterTable, Values } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';
import { checkTokens } from './chains.ts';

/** Returns the sum, added in the order of the list; 0 for an empty list. */
export function sum(x: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < x.length; i++) total += x[i];
  return total;
}

/** Returns the mean; 0 for an empty list. */
export function mean(x: ArrayLike<number>): number {
  return sum(x) / Math.max(x.length, 1);
}

/**
 * Returns the standard deviation around the mean; 0 for an empty list.
 * @param ddof number subtracted from the number of values: 0 population, 1 sample of at least two values
 */
export function standardDeviation(x: ArrayLike<number>, ddof: 0 | 1 = 0): number {
  const center = mean(x);
  let squares = 0;
  for (let i = 0; i < x.length; i++) squares += square(x[i] - center);
  return Math.sqrt(squares / Math.max(x.length - ddof, 1));
}

/** Options of the normalisation of rewards within a group, in which trainers differ. */
export interface Normalization {
  /** Number subtracted from the number of members in the standard deviation: 1 sample, 0 population. */
  readonly ddof: 0 | 1;
  /** Constant added to the standard deviation, in units of reward. */
  readonly epsilon: number;
  /** Divisor of the centred rewards: their standard deviation plus epsilon, or 1. */
  readonly scale: 'std' | 'none';
  /** Advantage in a group of one rollout: 0, or the reward with mean 0 and standard deviation 1. */
  readonly singleton: 'zero' | 'raw';
}

const PROFILE_NAMES = ['turnwise', 'trl', 'verl', 'rllm', 'dr-grpo'] as const;

/**
 * Named options of the normalisation. On rewards [1, 0, 0, 0] the first advantage is 1.499997 under `turnwise` and
 * `verl`, 1.4997 under `trl`, 1.732047 under `rllm` and 0.75 under `dr-grpo` (Liu et al. 2025, arXiv 2503.20783).
 */
export const PROFILES = {
  turnwise: { ddof: 1, epsilon: 1e-6, scale: 'std', singleton: 'zero' },
  trl: { ddof: 1, epsilon: 1e-4, scale: 'std', singleton: 'zero' },
  verl: { ddof: 1, epsilon: 1e-6, scale: 'std', singleton: 'raw' },
  rllm: { ddof: 0, epsilon: 1e-6, scale: 'std', singleton: 'raw' },
  'dr-grpo': { ddof: 1, epsilon: 1e-6, scale: 'none', singleton: 'zero' },
} as const satisfies Readonly<Record<(typeof PROFILE_NAMES)[number], Normalization>>;

/** Parameter that selects the profile of a normalising rule. */
export const PROFILE = {
  kind: 'choice',
  name: 'profile',
  label: 'Normalisation',
  default: 'turnwise',
  options: PROFILE_NAMES,
  help: 'Whose constants normalise a group: degrees of freedom, epsilon, whether to divide by the deviation, lone rollouts.',
} as const satisfies ChoiceParameter;

// Individual options of the normalisation. Each overrides the value of the profile. A run offers only the profile.

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
  help: 'A group of one rollout gets advantage 0, or its reward as if mean 0 and deviation 1. A lone turn of a larger group has 0.',
} as const satisfies ChoiceParameter;

/** Parameters of the normalisation, for the rules that normalise. */
export const NORMALIZATION = [PROFILE, DDOF, EPSILON, SCALE, SINGLETON] as const satisfies ParameterTable;

/** Values of the normalisation parameters that a rule has. */
export type NormalizationValues = Partial<Values<typeof NORMALIZATION>>;

/**
 * Returns the options for the values of a rule. They come from the profile, by default `turnwise`; individual values
 * override the profile.
 */
export function normalizationOf(values: NormalizationValues): Normalization {
  const profile = PROFILES[values.profile ?? PROFILE.default];
  const { ddof, epsilon = profile.epsilon, scale = profile.scale, singleton = profile.singleton } = values;
  const given = [ddof, values.epsilon, values.scale, values.singleton].some((corner) => corner !== undefined);
  if (!given) return profile;
  return { ddof: ddof === undefined ? profile.ddof : ddof === '1' ? 1 : 0, epsilon, scale, singleton };
}

/** Normalised group with its mean and standard deviation. */
interface Normalized {
  /** Advantages [members], in the order of the input. */
  readonly advantage: Float64Array;
  /** Mean of the group; 0 for no members, and for a single member that keeps its reward. */
  readonly mean: number;
  /**
   * Standard deviation with the ddof of the options; 0 if all members are equal, 1 for a single member that keeps its
   * reward.
   */
  readonly std: number;
}

/**
 * Computes (x - mean) / (std + epsilon) over the members of a group. The result is exactly 0 if two or more members are
 * all equal. Source: outcome supervision of GRPO (Shao et al. 2024, arXiv 2402.03300, section 4.1.2), which leaves the
 * options open.
 * @param x [members], finite
 * @param rollouts number of rollouts in the group, for members that are only part of the group. A single member of a
 *   group of several rollouts has 0 under every profile: verl keeps only the reward of a prompt with one rollout.
 */
export function normalize(
  x: ArrayLike<number>,
  normalization: Normalization = PROFILES.turnwise,
  rollouts = x.length,
): Normalized {
  const { ddof, epsilon, scale, singleton } = normalization;
  if (x.length === 1 && rollouts === 1 && singleton === 'raw') {
    return { advantage: Float64Array.of(x[0] / (scale === 'std' ? 1 + epsilon : 1)), mean: 0, std: 1 };
  }
  // Equality is tested by comparison, not by arithmetic: the mean of three times 0.1 is not 0.1.
  if (allEqual(x)) return { advantage: new Float64Array(x.length), mean: x.length > 0 ? x[0] : 0, std: 0 };

  const center = mean(x);
  const std = standardDeviation(x, ddof);
  const divisor = scale === 'std' ? std + epsilon : 1;
  const advantage = new Float64Array(x.length);
  for (let i = 0; i < x.length; i++) advantage[i] = (x[i] - center) / divisor;
  return { advantage, mean: center, std };
}

/** Returns true if all values are equal, or if there are fewer than two values. */
export function allEqual(x: ArrayLike<number>): boolean {
  for (let i = 1; i < x.length; i++) if (x[i] !== x[0]) return false;
  return true;
}

// Normalisation of advantages over the batch of an update, after the credit of its groups.

/** Members over which the advantages of a batch are normalised: its rollouts or its tokens. */
export type BatchMembers = 'rollouts' | 'tokens';

/** Constant added to the standard deviation, as in GDPO of TRL. */
export const BATCH_EPSILON = 1e-4;

/**
 * Returns the number of members per turn. With `tokens` it is the number of tokens of the turn. With `rollouts` it is 1
 * for the last turn of a rollout, else 0.
 * @returns [turns of the batch]
 * @throws {CreditError} for a turn without tokens, if `members` is `tokens`
 */
export function memberCounts(groups: readonly Group[], members: BatchMembers): Uint32Array {
  const counts = groups.flatMap(({ id, turns }) => {
    if (members === 'tokens') return turns.map((turn, index) => checkTokens(id, index, turn));
    const isLast = turns.map(() => 1);
    for (const { parent } of turns) if (parent >= 0) isLast[parent] = 0;
    return isLast;
  });
  return Uint32Array.from(counts);
}

/**
 * Computes (A - mean) / (std + BATCH_EPSILON) with the sample standard deviation over all members of a batch. It is the
 * reference implementation of shaders/credit/batch_normalize.wgsl.
 * @param advantages [turns]
 * @param counts [turns] number of members with this advantage
 */
export function normalizeBatch(advantages: ArrayLike<number>, counts: ArrayLike<number>): Float64Array {
  let [members, sum, squares] = [0, 0, 0];
  for (let turn = 0; turn < advantages.length; turn++) {
    members += counts[turn];
    sum += counts[turn] * advantages[turn];
  }
  const mean = sum / Math.max(members, 1);
  for (let turn = 0; turn < advantages.length; turn++) squares += counts[turn] * square(advantages[turn] - mean);
  const divisor = Math.sqrt(squares / Math.max(members - 1, 1)) + BATCH_EPSILON;
  return Float64Array.from(advantages, (A) => (A - mean) / divisor);
}
