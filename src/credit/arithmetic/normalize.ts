import {
  allowed,
  type ChoiceParameter,
  ParameterError,
  type ParameterTable,
  type ParameterValues,
} from '../../parameters/parameters.ts';

/** The corners in which trainers disagree when they normalise the rewards of a group. */
export interface Normalization {
  /** Subtracted from the number of members under the standard deviation: 1 sample, 0 population. */
  readonly ddof: 0 | 1;
  /** Added to the standard deviation, in units of reward. */
  readonly epsilon: number;
  /** What the centred rewards are divided by: their standard deviation + epsilon, or nothing. */
  readonly scale: 'std' | 'none';
  /** A group of one: advantage 0, or its reward with mean 0 and standard deviation 1. */
  readonly singleton: 'zero' | 'raw';
}

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
} as const satisfies Readonly<Record<string, Normalization>>;

/** The parameter that every normalising rule has. */
const PROFILE: ChoiceParameter = {
  kind: 'choice',
  name: 'profile',
  label: 'Normalisation',
  default: 'turnwise',
  options: Object.keys(PROFILES),
  help: 'Whose constants normalise a group: degrees of freedom, epsilon, whether to divide by the deviation, lone rollouts.',
};

/** The corners one by one; one that is given wins over the profile's. A run offers the profile alone. */
export const CORNERS: ParameterTable = [
  {
    kind: 'choice',
    name: 'ddof',
    control: false,
    label: 'Degrees of freedom',
    default: '1',
    options: ['1', '0'],
    help: 'Subtracted from the number of members under the standard deviation: 1 sample, 0 population.',
  },
  {
    kind: 'number',
    name: 'epsilon',
    control: false,
    label: 'Epsilon',
    symbol: 'ε',
    default: 1e-6,
    min: 0,
    max: 1,
    step: 1e-6,
    help: 'Added to the standard deviation, in units of reward.',
  },
  {
    kind: 'choice',
    name: 'scale',
    control: false,
    label: 'Scale',
    default: 'std',
    options: ['std', 'none'],
    help: 'What centred rewards are divided by: their standard deviation plus epsilon, or nothing.',
  },
  {
    kind: 'choice',
    name: 'singleton',
    control: false,
    label: 'Lone rollouts',
    default: 'zero',
    options: ['zero', 'raw'],
    help: 'A group of one gets advantage 0, or its reward as if mean 0 and deviation 1.',
  },
];

/** The parameters of every rule that normalises. */
export const NORMALIZATION: ParameterTable = [PROFILE, ...CORNERS];

/**
 * The corners that a rule's parameters choose: the profile's, the default profile's where they name none, and over
 * them the corners that they give themselves.
 * @throws {ParameterError} for an unknown profile, listing the names.
 */
export function normalization(parameters: ParameterValues): Normalization {
  const profile = profileOf(parameters);
  const { ddof, epsilon, scale, singleton } = parameters;
  if (ddof === undefined && epsilon === undefined && scale === undefined && singleton === undefined) return profile;
  return {
    ddof: ddof === undefined ? profile.ddof : (Number(ddof) as Normalization['ddof']),
    epsilon: epsilon === undefined ? profile.epsilon : Number(epsilon),
    scale: scale === undefined ? profile.scale : (scale as Normalization['scale']),
    singleton: singleton === undefined ? profile.singleton : (singleton as Normalization['singleton']),
  };
}

function profileOf(parameters: ParameterValues): Normalization {
  const name = parameters.profile ?? PROFILE.default;
  if (typeof name === 'string' && Object.hasOwn(PROFILES, name)) return PROFILES[name as keyof typeof PROFILES];
  throw new ParameterError(PROFILE.name, `profile: ${JSON.stringify(name)} is not ${allowed(PROFILE)}`);
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
export function normalize(x: ArrayLike<number>, how: Normalization = PROFILES.turnwise): Normalized {
  const n = x.length;
  if (n === 1 && how.singleton === 'raw') {
    const divisor = how.scale === 'std' ? 1 + how.epsilon : 1;
    return { advantage: Float64Array.of(x[0] / divisor), mean: 0, std: 1 };
  }
  // Equal members by comparison, not by arithmetic: the mean of three times 0.1 is not 0.1.
  if (allEqual(x)) return { advantage: new Float64Array(n), mean: n > 0 ? x[0] : 0, std: 0 };

  const mean = sum(n, (i) => x[i]) / n;
  const std = Math.sqrt(sum(n, (i) => (x[i] - mean) ** 2) / (n - how.ddof));
  const divisor = how.scale === 'std' ? std + how.epsilon : 1;
  return { advantage: Float64Array.from(x, (value) => (value - mean) / divisor), mean, std };
}

/** Whether all values are the same number; true for none and for one. */
export function allEqual(x: ArrayLike<number>): boolean {
  for (let i = 1; i < x.length; i++) if (x[i] !== x[0]) return false;
  return true;
}

function sum(count: number, term: (i: number) => number): number {
  let total = 0;
  for (let i = 0; i < count; i++) total += term(i);
  return total;
}
