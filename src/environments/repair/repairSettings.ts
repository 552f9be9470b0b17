import type { ParameterTable, ParameterValues } from '../../parameters/parameters.ts';
import { pickParameters, readParameters } from '../../parameters/parameters.ts';
import { seedParameter, WARM_SEED } from '../shared/settings.ts';
import { EASY_TESTS } from './easyTests.ts';
import type { PriorShape } from './prior.ts';

/** Settings of the tasks and the warm start; fixed from the first step of a run on. */
export const REPAIR_SETTINGS = [
  {
    kind: 'number',
    name: 'repairShare',
    label: 'Repairs shown',
    default: 0.57,
    min: 0,
    max: 1,
    step: 0.01,
    help:
      'Share of the warm start’s demonstrations that repair a failed program. With few the policy seldom repairs, and ' +
      'there is little for later turns to reinforce.',
  },
  {
    kind: 'choice',
    name: 'repairs',
    label: 'Kind of repairs',
    default: 'feedback',
    options: ['feedback', 'blind'],
    help:
      'feedback: most demonstrated repairs change what the shown test fails of. blind: they mend bugs whatever the ' +
      'feedback says, and the policy learns to repair without reading it.',
  },
  {
    kind: 'choice',
    name: 'reflection',
    label: 'Reflection',
    default: 'none',
    options: ['none', 'written'],
    help:
      'written: before it mends a failed program, the policy writes in a few words what it will change, and where. It has ' +
      'a warm start of its own.',
  },
  {
    kind: 'choice',
    name: 'verification',
    label: 'Verification',
    default: 'none',
    options: ['none', 'written'],
    help:
      'written: between two programs the policy writes tests of its own in a turn of their own, and what its program gives ' +
      'for them is all the feedback that it gets. It has a warm start of its own.',
  },
  {
    kind: 'choice',
    name: 'prior',
    label: 'Bugs',
    default: 'sharp',
    options: ['sharp', 'flat'],
    help:
      'sharp: each place of a program is nearly always right or nearly always wrong in the demonstrations, so that ' +
      'groups often tie. flat: anything between, and hardly a group ties.',
  },
  {
    kind: 'number',
    name: 'easyTests',
    label: 'Easy tests',
    default: 0,
    min: 0,
    max: EASY_TESTS,
    step: 1,
    integer: true,
    help: 'Further tests a problem that a program passes which ignores the question, where the problem has such tests.',
  },
  {
    kind: 'number',
    name: 'maxTurns',
    label: 'Turns',
    default: 2,
    min: 1,
    max: 4,
    step: 1,
    integer: true,
    help: 'Attempts that a rollout may take in training. At 1 nothing is ever repaired.',
  },
  {
    kind: 'number',
    name: 'trainProblems',
    label: 'Training problems',
    default: 0,
    min: 0,
    max: 1000,
    step: 25,
    integer: true,
    help: 'Problems that reinforcement learning trains on; 0 for all of them. The warm start has seen all of them anyway.',
  },
  {
    kind: 'choice',
    name: 'width',
    label: 'Width of the policy',
    default: '64',
    options: ['64', '32'],
    help: 'Numbers that a layer passes on for each token. A policy of half the width has about a third of the parameters.',
  },
  {
    kind: 'number',
    name: 'warmSteps',
    label: 'Warm-start steps',
    default: 900,
    min: 50,
    max: 3000,
    step: 50,
    integer: true,
    help: 'Steps of the warm start. With fewer the policy is weaker when reinforcement learning begins.',
  },
  seedParameter(
    'worldSeed',
    'World seed',
    'Draws which bugs are usual, the tests of the problems, and the split into training and held-out ones. 0 is the world ' +
      'that is shipped; the problems of another one are made first, which takes a while.',
  ),
  WARM_SEED,
] as const satisfies ParameterTable;

/** Values of REPAIR_SETTINGS. */
export interface RepairSettings {
  readonly repairShare: number;
  readonly repairs: 'feedback' | 'blind';
  readonly reflection: 'none' | 'written';
  readonly verification: 'none' | 'written';
  readonly prior: PriorShape;
  readonly easyTests: number;
  readonly maxTurns: number;
  readonly trainProblems: number;
  readonly width: '64' | '32';
  readonly warmSteps: number;
  readonly worldSeed: number;
  readonly warmSeed: number;
}

/** Controls that may change while training runs. */
export const REPAIR_CONTROLS = [
  {
    kind: 'choice',
    name: 'turnReward',
    label: 'Reward of a turn',
    default: 'pass-rate',
    options: ['pass-rate', 'solved', 'model', 'none'],
    help:
      'What a program earns by itself: the share of tests that it passes; 1 for all of them and 0 otherwise; what a ' +
      'reward model says of it, which has learned from programs and sees no test (it takes 0.7 MB); or nothing.',
  },
  {
    kind: 'choice',
    name: 'outcomeReward',
    label: 'Outcome of a rollout',
    default: 'solved',
    options: ['solved', 'pass-rate', 'model'],
    help:
      'What the last program of a rollout earns: 1 for passing all tests and 0 otherwise, the share it passes, or what the ' +
      'reward model says of it (0.7 MB).',
  },
] as const satisfies ParameterTable;

/** Values of REPAIR_CONTROLS. */
export interface RepairControls {
  readonly turnReward: 'pass-rate' | 'solved' | 'model' | 'none';
  readonly outcomeReward: 'pass-rate' | 'solved' | 'model';
}

/**
 * Reads settings; missing ones take their default.
 * @throws {ParameterError} for a value out of range or a name that the table lacks.
 */
export function repairSettings(values: ParameterValues): RepairSettings {
  return readParameters(REPAIR_SETTINGS, values);
}

/**
 * Picks the environment's own out of a run's controls; missing ones take their default.
 * @throws {ParameterError} for a value that the table does not allow.
 */
export function repairControls(controls: ParameterValues): RepairControls {
  return pickParameters(REPAIR_CONTROLS, controls);
}

/** Most tokens of a program, `<eos>` included. */
export const PROGRAM_LIMIT = 44;
/** Most tokens of a prompt, an attempt, feedback and the next attempt. */
export const CONTEXT = 128;
/** Most edits that a reflection names. */
export const MAX_EDITS = 3;
/** Most tokens of a reflection that says all it may: three an edit, `more` and `<program>`. */
export const REFLECTION_LIMIT = 3 * MAX_EDITS + 2;

/** Most tests of a verification that are read; what is written behind them is not looked at. */
export const MAX_WRITTEN_TESTS = 3;
/** Most tokens of a verification, `<eos>` included: it has the room of a program. */
export const VERIFICATION_LIMIT = PROGRAM_LIMIT;

/**
 * True if a turn is a verification: programs and tests alternate if tests are written.
 * @param turn from 0
 */
function isVerification({ verification }: Pick<RepairSettings, 'verification'>, turn: number): boolean {
  return verification === 'written' && turn % 2 === 1;
}

/** Number of turns that this number of attempts takes: if tests are written, a verification is between two programs. */
export function turnsOf({ verification }: Pick<RepairSettings, 'verification'>, attempts: number): number {
  return verification === 'written' ? 2 * attempts - 1 : attempts;
}

type Limits = Pick<RepairSettings, 'reflection' | 'verification'>;

/** Most tokens that the policy writes in a turn. @param turn from 0; reflections are written from 1 on */
export function turnTokenLimit(settings: Limits, turn: number): number {
  if (isVerification(settings, turn)) return VERIFICATION_LIMIT;
  return settings.reflection === 'written' && turn > 0 ? REFLECTION_LIMIT + PROGRAM_LIMIT : PROGRAM_LIMIT;
}

/** Most tokens of a prompt and a turn. The room for prompts is the same with and without reflections. */
export function contextOf(settings: Limits): number {
  return CONTEXT + turnTokenLimit(settings, 2) - PROGRAM_LIMIT;
}
