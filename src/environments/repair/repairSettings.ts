import {
  type ParameterTable,
  type ParameterValues,
  pickParameters,
  readParameters,
  type StoredValues,
} from '../../parameters/parameters.ts';
import { seedParameter, WARM_SEED } from '../shared/settings.ts';

/** Maximum number of easy tests per problem. */
export const EASY_TESTS = 4;
/** Number of tests of a problem that the policy may see. The other tests are hidden. */
export const VISIBLE_TESTS = 4;

/** Settings of the tasks and the warm start. They are fixed from the first step of a run. */
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
      'Share of the warm start’s demonstrations that repair a failed program. With a low share the policy rarely repairs, ' +
      'and later turns have little to reinforce.',
  },
  {
    kind: 'choice',
    name: 'repairs',
    label: 'Kind of repairs',
    default: 'feedback',
    options: ['feedback', 'blind'],
    help:
      'feedback: most demonstrated repairs fix the bug that makes the shown test fail. blind: they fix bugs independently of ' +
      'the feedback, and the policy learns to repair without reading it.',
  },
  {
    kind: 'choice',
    name: 'reflection',
    label: 'Reflection',
    default: 'none',
    options: ['none', 'written'],
    help:
      'written: before it repairs a failed program, the policy writes in a few words what it will change, and where. This ' +
      'option has a separate warm start.',
  },
  {
    kind: 'choice',
    name: 'verification',
    label: 'Verification',
    default: 'none',
    options: ['none', 'written'],
    help:
      'written: between two programs the policy writes tests in a separate turn, and the results of its program on them are ' +
      'its only feedback. This option has a separate warm start.',
  },
  {
    kind: 'choice',
    name: 'prior',
    label: 'Bugs',
    default: 'sharp',
    options: ['sharp', 'flat'],
    help:
      'sharp: each place of a program is nearly always right or nearly always wrong in the demonstrations, so ' +
      'groups often tie. flat: error rates in between, and groups rarely tie.',
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
    help: 'Additional tests per problem that a program passes without reading the question, if the problem has such tests.',
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
    help: 'Maximum attempts of a rollout in training. At 1 there are no repairs.',
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
    help: 'Problems that reinforcement learning trains on; 0 for all of them. The warm start uses all of them in any case.',
  },
  {
    kind: 'choice',
    name: 'width',
    label: 'Width of the policy',
    default: '64',
    options: ['64', '32'],
    help: 'Size of the hidden state of a token. A policy of half the width has about a third of the parameters.',
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
    'Draws the usual bugs, the tests of the problems, and the split into training and held-out problems. 0 is the shipped ' +
      'world; the problems of another world are generated first, which takes a while.',
  ),
  WARM_SEED,
] as const satisfies ParameterTable;

/** Values of REPAIR_SETTINGS. */
export type RepairSettings = StoredValues<typeof REPAIR_SETTINGS>;

/** Controls that may change during a run. */
export const REPAIR_CONTROLS = [
  {
    kind: 'choice',
    name: 'turnReward',
    label: 'Reward of a turn',
    default: 'pass-rate',
    options: ['pass-rate', 'solved', 'model', 'none'],
    help:
      'Reward of each program: the share of tests that it passes; 1 for all of them and 0 otherwise; the output of a reward ' +
      'model, which was trained on programs and sees no test (0.7 MB); or nothing.',
  },
  {
    kind: 'choice',
    name: 'outcomeReward',
    label: 'Outcome of a rollout',
    default: 'solved',
    options: ['solved', 'pass-rate', 'model'],
    help:
      'Reward of the last program of a rollout: 1 for passing all tests and 0 otherwise, the share of tests that it passes, or ' +
      'the output of the reward model (0.7 MB).',
  },
] as const satisfies ParameterTable;

/** Values of REPAIR_CONTROLS. */
export type RepairControls = StoredValues<typeof REPAIR_CONTROLS>;

/**
 * Reads settings. Missing ones take their default.
 * @throws {ParameterError} for a value out of range or a name that the table lacks
 */
export function repairSettings(values: ParameterValues): RepairSettings {
  return readParameters(REPAIR_SETTINGS, values);
}

/**
 * Selects the environment's controls from a run's controls. Missing ones take their default.
 * @throws {ParameterError} for a value that the table does not allow
 */
export function repairControls(controls: ParameterValues): RepairControls {
  return pickParameters(REPAIR_CONTROLS, controls);
}

/** Maximum number of tokens of a program, including `<eos>`. */
export const PROGRAM_LIMIT = 44;
/** Maximum number of tokens of a prompt, an attempt, feedback and the next attempt together. */
export const CONTEXT = 128;
/** Maximum number of edits in a reflection. */
export const MAX_EDITS = 3;
/** Maximum number of tokens of a valid reflection: three per edit, `more` and `<program>`. */
export const REFLECTION_LIMIT = 3 * MAX_EDITS + 2;

/** Maximum number of tests of a verification. The environment ignores text after them. */
export const MAX_WRITTEN_TESTS = 3;
/** Maximum number of tokens of a verification, including `<eos>`. It equals the limit of a program. */
export const VERIFICATION_LIMIT = PROGRAM_LIMIT;

/**
 * Returns true if a turn is a verification. Programs and verifications alternate if tests are written.
 * @param turn from 0
 */
function isVerification({ verification }: Pick<RepairSettings, 'verification'>, turn: number): boolean {
  return verification === 'written' && turn % 2 === 1;
}

/**
 * Returns the number of turns for a number of attempts. If tests are written, a verification is between two programs.
 */
export function turnsOf({ verification }: Pick<RepairSettings, 'verification'>, attempts: number): number {
  return verification === 'written' ? 2 * attempts - 1 : attempts;
}

type Limits = Pick<RepairSettings, 'reflection' | 'verification'>;

/**
 * Returns the maximum number of tokens that the policy writes in a turn.
 * @param turn from 0; reflections start at turn 1
 */
export function turnTokenLimit(settings: Limits, turn: number): number {
  if (isVerification(settings, turn)) return VERIFICATION_LIMIT;
  return settings.reflection === 'written' && turn > 0 ? REFLECTION_LIMIT + PROGRAM_LIMIT : PROGRAM_LIMIT;
}

/**
 * Returns the maximum number of tokens of a prompt and a turn. The capacity for prompts is the same with and without
 * reflections.
 */
export function contextOf(settings: Limits): number {
  return CONTEXT + turnTokenLimit(settings, 2) - PROGRAM_LIMIT;
}
