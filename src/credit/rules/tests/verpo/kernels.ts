import { MAX_GROUP_TESTS } from '../../../arithmetic/unitTests.ts';
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
} from '../../../gpu/batchArrays.ts';
import { type Stage, scratch } from '../../../gpu/stage.ts';
import { comparison, type TurnReward, type VerpoValues } from './parameters.ts';
import { DENSITY_EPSILON, LEAST_BANDWIDTH } from './weights.ts';

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

export const VERPO_STAGES: readonly Stage<VerpoValues>[] = [
  weighTests,
  rewardTurns,
  rewardTrajectories,
  normalizeStageBy(comparison, groupTurns, turnReward, turnAdvantage, { tie: SUM_TIE }),
  normalizeStageBy(comparison, groupTrajectories, trajectoryReward, trajectoryAdvantage),
  combine,
];

export const VERPO_OUTPUTS = {
  passRate,
  weights: weight,
  bandwidth,
  turnReward,
  trajectoryReward,
  turnAdvantage,
  trajectoryAdvantage,
};
