import type { ParameterTable, ParameterValues } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { paths, spread } from '../../arithmetic/chains.ts';
import { NORMALIZATION, type Normalization, normalization, normalize, PROFILES } from '../../arithmetic/normalize.ts';
import { testResults } from '../../arithmetic/unitTests.ts';
import {
  advantage,
  countOf,
  groupTrajectories,
  groupTurns,
  normalizeStage,
  SUM_TIE,
  trajectoryTurns,
} from '../../gpu/batchArrays.ts';
import { passed, resultOffset, testOffset } from '../../gpu/packedResults.ts';
import { type Stage, scratch } from '../../gpu/stage.ts';
import type { CreditRule } from '../../rule.ts';
import { TESTED } from '../../telling/examples.ts';
import { verpoLines } from './verpoLines.ts';

/**
 * What a passed test is worth: the paper's weights, one of its ablations, or powers of failure rates as shares of 1,
 * another reading of the paper's words. In the order of test_weights.wgsl.
 */
const TURN_REWARDS = ['none', 'pass-rate', 'failure-rate', 'difficulty', 'difficulty-density'] as const;
export type TurnReward = (typeof TURN_REWARDS)[number];

const PARAMETERS: ParameterTable = [
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
    help: 'How fast a test loses weight the more turns pass it. At 0 easy and hard tests count the same.',
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
    help: 'How near pass rates must lie for tests to share their weight. 0: half the deviation of the pass rates.',
  },
  {
    kind: 'number',
    name: 'decay',
    control: 'verpoDecay',
    label: 'Decay a turn',
    default: 0.95,
    min: 0,
    max: 1,
    step: 0.01,
    help: 'What each turn beyond the first leaves of the reward for a solved task. At 1 slow rollouts lose nothing.',
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
    help: 'Weight of what a turn passed, beside how its rollout ended. At 0 all turns of a rollout share one credit.',
  },
  {
    kind: 'choice',
    name: 'turn',
    control: 'verpoTurn',
    label: 'Worth of a test',
    default: 'difficulty-density',
    options: [...TURN_REWARDS].reverse(),
    help:
      'By difficulty and by how many tests are alike, by difficulty alone, by (1 − ρ)^α as a share of all tests, the same ' +
      'for all, or no turn rewards.',
  },
  {
    kind: 'choice',
    name: 'trajectory',
    control: 'verpoTrajectory',
    label: 'Reward for a solved task',
    default: 'true',
    options: ['true', 'false'],
    help: 'Whether a rollout whose last turn passes every test earns a reward of its own.',
  },
  {
    kind: 'choice',
    name: 'norm',
    control: 'verpoNorm',
    label: 'Comparison',
    default: 'centre',
    options: ['centre', 'std'],
    help: 'Rewards less their mean over the group, or divided by their deviation too, as the normalisation says.',
  },
];

/** sigma is never less. */
const LEAST_BANDWIDTH = 1e-3;

const passRate = scratch('passRate', 'tests');
const weight = scratch('test weight', 'tests');
const bandwidth = scratch('bandwidth', 'groups');
const turnReward = scratch('turnReward', 'turns');
const solved = scratch('passes every test', 'turns', 'u32');
const trajectoryReward = scratch('trajectoryReward', 'trajectories');
const turnAdvantage = scratch('test turnAdvantage', 'turns');
const trajectoryAdvantage = scratch('trajectoryAdvantage', 'trajectories');

const results = { testOffset, turnOffset: groupTurns.offset, resultOffset, passed };

const weighTests: Stage = {
  kernel: 'credit/test_weights',
  bindings: { ...results, passRate, weight, bandwidth },
  count: countOf('groups'),
  itemsPerWorkgroup: 1,
  uniforms: (parameters) => {
    const { alpha, sigma, turn } = verpoOptions(parameters);
    return { alpha, bandwidth: sigma, weighting: TURN_REWARDS.indexOf(turn) };
  },
};

const rewardTurns: Stage = {
  kernel: 'credit/test_rewards',
  bindings: { ...results, weight, turnReward, solved },
  count: countOf('groups'),
  itemsPerWorkgroup: 1,
};

const rewardTrajectories: Stage = {
  kernel: 'credit/trajectory_success',
  bindings: { turnOffset: trajectoryTurns.offset, turn: trajectoryTurns.member, solved, trajectoryReward },
  count: countOf('trajectories'),
  itemsPerWorkgroup: 64,
  uniforms: (parameters) => ({ decay: verpoOptions(parameters).decay }),
};

const combine: Stage = {
  kernel: 'credit/trajectory_turn_sum',
  bindings: {
    turnOffset: trajectoryTurns.offset,
    turn: trajectoryTurns.member,
    trajectoryAdvantage,
    turnAdvantage,
    advantage,
  },
  count: countOf('trajectories'),
  itemsPerWorkgroup: 64,
  uniforms: (parameters) => {
    const { beta, trajectory } = verpoOptions(parameters);
    return { trajectoryWeight: Number(trajectory), turnWeight: beta };
  },
};

const how = (parameters: ParameterValues) => verpoOptions(parameters).how;

/**
 * A_{i,t} = A^traj_i + beta A^turn_{i,t}: how a trajectory ended against the others of its group, and what a turn's
 * program passed against all turns of the group, each test weighed by how few turns pass it and how many tests are
 * passed as often. Turns need `passed`; rewards and outcomes are not read.
 */
export const verpo: CreditRule = {
  name: 'verpo',
  title: 'VeRPO',
  idea: 'Every turn earns the unit tests that it passes, rare ones most, and a solved task earns a reward of its own.',
  paper: {
    title: 'VeRPO: Verifiable Dense Reward Policy Optimization for Code Generation',
    reference: 'Wang, Wu et al. 2026, arXiv 2601.03525',
    equation: 'turn reward R_{i,t} = Σ_j weight_j · [turn passes test j]; A_{i,t} = A^traj_i + β A^turn_{i,t}',
  },
  formula: [
    'ρ_j = share of all turns of the group that pass test j',
    'w_j = exp(−α ρ_j)',
    'σ = max(std_j ρ_j / 2, 0.001)',
    'd_j = Σ_k exp(−(ρ_j − ρ_k)² / (2σ²))',
    'weight_j = w_j / (d_j + 10⁻⁶)',
    'weight_j = (1 − ρ_j)^α / Σ_k (1 − ρ_k)^α instead, by turn = failure-rate; 1 / m if all turns pass all m tests',
    'R_{i,t} = Σ_j weight_j over the tests that the turn passes',
    'R_i = decay^(K_i − 1) if the last turn passes every test, else 0',
    'A_{i,t} = (R_i − mean_j R_j) + β (R_{i,t} − mean over all turns of the group)',
  ],
  input: 'trajectories',
  reads: ['passed'],
  unit: 'turn',
  parameters: [...PARAMETERS, ...NORMALIZATION],
  example: TESTED,

  credit(group, parameters) {
    const { beta, trajectory, how } = verpoOptions(parameters);
    const { trajectories, tests, turnReward, trajectoryReward } = rewards(group, parameters);
    const { advantage: turnAdvantage } = normalize(turnReward, how);
    const { advantage: A } = normalize(trajectoryReward, how);
    const trajectoryAdvantage = spread(group, trajectories, (i) => A[i]);
    return {
      advantage: turnAdvantage.map((turn, index) => Number(trajectory) * trajectoryAdvantage[index] + beta * turn),
      intermediate: {
        ...tests,
        bandwidth: Float64Array.of(tests.bandwidth),
        turnReward,
        turnAdvantage,
        trajectoryReward: spread(group, trajectories, (i) => trajectoryReward[i]),
        trajectoryAdvantage,
      },
    };
  },

  worked: (turn, group, credit, parameters) => {
    return verpoLines(turn, group, credit, verpoOptions(parameters), LEAST_BANDWIDTH);
  },

  // As they enter the advantage: what an ablation drops is the same for all.
  compared(group, parameters) {
    const { beta, trajectory } = verpoOptions(parameters);
    const { turnReward, trajectoryReward } = rewards(group, parameters);
    return [turnReward.map((R) => beta * R), trajectoryReward.map((R) => Number(trajectory) * R)];
  },

  outputs: { passRate, weights: weight, bandwidth, turnReward, trajectoryReward, turnAdvantage, trajectoryAdvantage },
  stages: [
    weighTests,
    rewardTurns,
    rewardTrajectories,
    normalizeStage(groupTurns, turnReward, turnAdvantage, { tie: SUM_TIE, how }),
    normalizeStage(groupTrajectories, trajectoryReward, trajectoryAdvantage, { how }),
    combine,
  ],
};

/** What the parameters choose. */
export interface Options {
  readonly alpha: number;
  /** 0: from the pass rates. */
  readonly sigma: number;
  readonly decay: number;
  readonly beta: number;
  readonly turn: TurnReward;
  readonly trajectory: boolean;
  readonly how: Normalization;
}

export function verpoOptions(parameters: ParameterValues): Options {
  const chosen = (name: string) => parameters[name] ?? PARAMETERS.find((one) => one.name === name)?.default;
  return {
    alpha: Number(chosen('alpha')),
    sigma: Number(chosen('bandwidth')),
    decay: Number(chosen('decay')),
    beta: Number(chosen('beta')),
    turn: chosen('turn') as TurnReward,
    trajectory: String(chosen('trajectory')) === 'true',
    // R - mean is Dr. GRPO's normalisation, of turns as of trajectories.
    how: chosen('norm') === 'std' ? normalization(parameters) : PROFILES['dr-grpo'],
  };
}

interface Tests {
  /** rho [tests] */
  readonly passRate: Float64Array;
  /** [tests] */
  readonly weights: Float64Array;
  /** sigma */
  readonly bandwidth: number;
}

/** [turns] R_{i,t}, [trajectories] R_i, and the weights that the former are made of. */
function rewards(group: Group, parameters: ParameterValues) {
  const trajectories = paths(group).map((turns) => ({ turns }));
  const passed = testResults(group);
  const how = verpoOptions(parameters);
  const tests = weigh(passed, how);
  const turnReward = Float64Array.from(passed, (bits) => sumOver(bits, (j) => bits[j] * tests.weights[j]));
  const trajectoryReward = trajectories.map(({ turns }) => {
    const solved = passed[turns[turns.length - 1]].every((bit) => bit === 1);
    return solved ? how.decay ** (turns.length - 1) : 0;
  });
  return { trajectories, tests, turnReward, trajectoryReward };
}

/** @param passed [turns][tests], 0 or 1 */
function weigh(passed: readonly (readonly number[])[], { alpha, sigma, turn }: Options): Tests {
  const rho = Float64Array.from(passed[0] ?? [], (_, j) => sumOver(passed, (t) => passed[t][j]) / passed.length);
  const bandwidth = Math.max(sigma > 0 ? sigma : deviation(rho) / 2, LEAST_BANDWIDTH);
  const density = (at: number) => sumOver(rho, (k) => Math.exp(-((at - rho[k]) ** 2) / (2 * bandwidth ** 2)));
  const failures = sumOver(rho, (k) => (1 - rho[k]) ** alpha);
  const weight: Record<TurnReward, (rate: number) => number> = {
    none: () => 0,
    'pass-rate': () => 1 / rho.length,
    // Tests that nobody fails have no share; where there are no others, all have the same.
    'failure-rate': (rate) => (failures > 0 ? (1 - rate) ** alpha / failures : 1 / rho.length),
    difficulty: (rate) => Math.exp(-alpha * rate),
    'difficulty-density': (rate) => Math.exp(-alpha * rate) / (density(rate) + 1e-6),
  };
  return { passRate: rho, weights: rho.map(weight[turn]), bandwidth };
}

/** Population standard deviation, 0 for no numbers. */
function deviation(x: Float64Array): number {
  const n = Math.max(x.length, 1);
  const mean = sumOver(x, (j) => x[j]) / n;
  return Math.sqrt(sumOver(x, (j) => (x[j] - mean) ** 2) / n);
}

function sumOver({ length }: ArrayLike<unknown>, term: (index: number) => number): number {
  let total = 0;
  for (let index = 0; index < length; index++) total += term(index);
  return total;
}
