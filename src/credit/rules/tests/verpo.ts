import { exp, integerPower, power, square } from '../../../numbers/exponential.ts';
import type { ParameterTable, Values } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { broadcastToTurns, firstTurnValues, paths } from '../../arithmetic/chains.ts';
import {
  NORMALIZATION,
  type Normalization,
  normalizationOf,
  normalize,
  PROFILES,
  standardDeviation,
} from '../../arithmetic/normalize.ts';
import { MAX_GROUP_TESTS, testResults } from '../../arithmetic/unitTests.ts';
import {
  advantage,
  countOf,
  groupTrajectories,
  groupTurns,
  normalizeStageBy,
  passed,
  resultOffset,
  SUM_TIE,
  testOffset,
  trajectoryTurns,
} from '../../gpu/batchArrays.ts';
import { type Stage, scratch } from '../../gpu/stage.ts';
import { creditRule } from '../../rule.ts';

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

/** Minimum of sigma. */
export const LEAST_BANDWIDTH = 1e-3;

/** Constant added to the density of a test, which divides its weight. */
export const DENSITY_EPSILON = 1e-6;

/** Weights of the unit tests of a group. */
interface TestWeights {
  /** Share rho of the turns that pass each test [tests]. */
  readonly passRate: Float64Array;
  /** Weight of each test [tests]. */
  readonly weights: Float64Array;
  /** Bandwidth sigma of the density of pass rates. */
  readonly bandwidth: number;
}

/** Computes the weights of the unit tests of a group. @param results [turns][tests], 0 or 1 */
function testWeights(
  results: readonly (readonly number[])[],
  { alpha, bandwidth, turn }: Pick<VerpoValues, 'alpha' | 'bandwidth' | 'turn'>,
): TestWeights {
  const rho = Float64Array.from(results[0] ?? [], (_, j) => sumOver(results, (t) => results[t][j]) / results.length);
  const sigma = Math.max(bandwidth > 0 ? bandwidth : standardDeviation(rho) / 2, LEAST_BANDWIDTH);
  const density = (at: number) => sumOver(rho, (k) => exp(-square(at - rho[k]) / (2 * square(sigma))));
  const failures = sumOver(rho, (k) => power(1 - rho[k], alpha));
  const weight: Record<TurnReward, (rate: number) => number> = {
    none: () => 0,
    'pass-rate': () => 1 / rho.length,
    // Tests without a failure have no share; if there are no other tests, all have the same share.
    'failure-rate': (rate) => (failures > 0 ? power(1 - rate, alpha) / failures : 1 / rho.length),
    difficulty: (rate) => exp(-alpha * rate),
    'difficulty-density': (rate) => exp(-alpha * rate) / (density(rate) + DENSITY_EPSILON),
  };
  return { passRate: rho, weights: rho.map(weight[turn]), bandwidth: sigma };
}

/** Returns the sum of the weights of the tests that a turn passes. @param results [tests], 0 or 1 */
function passedWeight(results: readonly number[], weights: Float64Array): number {
  return sumOver(results, (j) => results[j] * weights[j]);
}

function sumOver({ length }: ArrayLike<unknown>, term: (index: number) => number): number {
  let total = 0;
  for (let index = 0; index < length; index++) total += term(index);
  return total;
}

const passRate = scratch('passRate', 'tests');
const weight = scratch('test weight', 'tests');
const bandwidth = scratch('bandwidth', 'groups');
const turnReward = scratch('turnReward', 'turns');
const solved = scratch('passes every test', 'turns', 'u32');
const trajectoryReward = scratch('trajectoryReward', 'trajectories');
const turnAdvantage = scratch('test turnAdvantage', 'turns');
const trajectoryAdvantage = scratch('trajectoryAdvantage', 'trajectories');

const results = { testOffset, turnOffset: groupTurns.offset, resultOffset, passed };

/** Values of the uniform `weighting` of test_weights.wgsl, which has them as constants with these names. */
const WEIGHTINGS = {
  none: 0,
  'pass-rate': 1,
  'failure-rate': 2,
  difficulty: 3,
  'difficulty-density': 4,
} as const satisfies Readonly<Record<TurnReward, number>>;

const weighTests: Stage<VerpoValues> = {
  kernel: 'credit/test_weights',
  bindings: { ...results, passRate, weight, bandwidth },
  count: countOf('groups'),
  each: 'workgroup',
  constants: {
    MAX_TESTS: MAX_GROUP_TESTS,
    LEAST_BANDWIDTH,
    DENSITY_EPSILON,
    PASS_RATE: WEIGHTINGS['pass-rate'],
    FAILURE_RATE: WEIGHTINGS['failure-rate'],
    DIFFICULTY: WEIGHTINGS.difficulty,
    DIFFICULTY_DENSITY: WEIGHTINGS['difficulty-density'],
  },
  uniforms: ({ alpha, bandwidth, turn }) => ({ alpha, bandwidth, weighting: WEIGHTINGS[turn] }),
};

const rewardTurns: Stage<unknown> = {
  kernel: 'credit/test_rewards',
  bindings: { ...results, weight, turnReward, solved },
  count: countOf('groups'),
  each: 'workgroup',
  constants: { MAX_TESTS: MAX_GROUP_TESTS },
};

const rewardTrajectories: Stage<VerpoValues> = {
  kernel: 'credit/trajectory_success',
  bindings: { turnOffset: trajectoryTurns.offset, turn: trajectoryTurns.member, solved, trajectoryReward },
  count: countOf('trajectories'),
  uniforms: ({ decay }) => ({ decay }),
};

const combine: Stage<VerpoValues> = {
  kernel: 'credit/trajectory_turn_sum',
  bindings: {
    turnOffset: trajectoryTurns.offset,
    turn: trajectoryTurns.member,
    trajectoryAdvantage,
    turnAdvantage,
    advantage,
  },
  count: countOf('trajectories'),
  uniforms: ({ beta, trajectory }) => ({ trajectoryWeight: Number(trajectory), turnWeight: beta }),
};

const VERPO_STAGES: readonly Stage<VerpoValues>[] = [
  weighTests,
  rewardTurns,
  rewardTrajectories,
  normalizeStageBy(comparison, groupTurns, turnReward, turnAdvantage, { tie: SUM_TIE }),
  normalizeStageBy(comparison, groupTrajectories, trajectoryReward, trajectoryAdvantage),
  combine,
];

const VERPO_OUTPUTS = {
  passRate,
  weights: weight,
  bandwidth,
  turnReward,
  trajectoryReward,
  turnAdvantage,
  trajectoryAdvantage,
};

/** VeRPO. Turns require `passed`; rewards and outcomes are not read. */
export const verpo = creditRule({
  name: 'verpo',
  title: 'VeRPO',
  family: 'tests',
  input: 'trajectories',
  reads: ['passed'],
  rewards: 'outcome',
  turns: 'attempts',
  unit: 'turn',
  parameters: VERPO_PARAMETERS,
  // Rewards come from the passed tests; `reward` and `outcome` are not read.
  laws: {
    shift: ['reward', 'outcome'],
    scale: 'same',
    zeroSums: ({ intermediate: { turnAdvantage, trajectoryAdvantage } }, group) => [
      [...turnAdvantage],
      firstTurnValues(group, trajectoryAdvantage),
    ],
  },

  credit(group, values) {
    const { beta, trajectory } = values;
    const normalization = comparison(values);
    const { trajectories, tests, turnReward, trajectoryReward } = rewards(group, values);
    const { advantage: turnAdvantage } = normalize(turnReward, normalization);
    const { advantage: A } = normalize(trajectoryReward, normalization);
    const trajectoryAdvantage = broadcastToTurns(group, trajectories, (i) => A[i]);
    return {
      advantage: turnAdvantage.map((turn, index) => Number(trajectory) * trajectoryAdvantage[index] + beta * turn),
      intermediate: {
        ...tests,
        bandwidth: Float64Array.of(tests.bandwidth),
        turnReward,
        turnAdvantage,
        trajectoryReward: broadcastToTurns(group, trajectories, (i) => trajectoryReward[i]),
        trajectoryAdvantage,
      },
    };
  },

  // The lists are weighted as in the advantage, so a term that an ablation removes is constant.
  compared(group, values) {
    const { turnReward, trajectoryReward } = rewards(group, values);
    return [turnReward.map((R) => values.beta * R), trajectoryReward.map((R) => Number(values.trajectory) * R)];
  },

  outputs: VERPO_OUTPUTS,
  stages: VERPO_STAGES,
});

/** Computes R_{i,t} [turns], R_i [trajectories], and the test weights of R_{i,t}. */
function rewards(group: Group, values: VerpoValues) {
  const trajectories = paths(group).map((turns) => ({ turns }));
  const results = testResults(group);
  const tests = testWeights(results, values);
  const turnReward = Float64Array.from(results, (turnResults) => passedWeight(turnResults, tests.weights));
  const trajectoryReward = trajectories.map(({ turns }) => {
    const solved = results[turns[turns.length - 1]].every((result) => result === 1);
    return solved ? integerPower(values.decay, turns.length - 1) : 0;
  });
  return { trajectories, tests, turnReward, trajectoryReward };
}
