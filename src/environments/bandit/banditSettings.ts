import {
  type NumberParameter,
  type ParameterTable,
  type ParameterValues,
  pickParameters,
  readParameters,
  type StoredValues,
} from '../../parameters/parameters.ts';
import { rewardParameter, seedParameter } from '../shared/settings.ts';

/** Maximum number of payout tables of a world. Each table has a separate token. */
export const MAX_TABLES = 4;

/** Settings of the payout tables and of the initial policy. They are fixed from the first step of a run. */
export const BANDIT_SETTINGS = [
  {
    kind: 'number',
    name: 'tables',
    label: 'Payout tables',
    default: 3,
    min: 1,
    max: MAX_TABLES,
    step: 1,
    integer: true,
    help: 'Number of payout tables. A task shows one of them, and each has its own right actions to learn.',
  },
  {
    kind: 'number',
    name: 'chance',
    label: 'Chance of the prize',
    default: 1,
    min: 0.05,
    max: 1,
    step: 0.05,
    help:
      'Probability that an earned outcome is paid. Below 1 an earned outcome is sometimes 0. The draw is made once per ' +
      'task for every pair of actions, so all rollouts of a group share it.',
  },
  seedParameter('worldSeed', 'World seed', 'Draws the right actions of each table.'),
  seedParameter('warmSeed', 'Weights seed', 'Draws the initial weights: the bandit has no warm start.'),
  {
    kind: 'choice',
    name: 'process',
    label: 'Decision process',
    default: 'two-turns',
    options: ['two-turns', 'delayed', 'recovery', 'stopping'],
    help:
      'two-turns: the payout tables. delayed, recovery and stopping have fixed rewards; the payout tables, the chance and ' +
      'the reward controls have no effect on them.',
  },
] as const satisfies ParameterTable;

/** Values of BANDIT_SETTINGS. */
export type BanditSettings = StoredValues<typeof BANDIT_SETTINGS>;

/**
 * Reads settings. Missing ones take their default.
 * @throws {ParameterError} for a value out of range or a name that the table lacks
 */
export function banditSettings(values: ParameterValues): BanditSettings {
  return readParameters(BANDIT_SETTINGS, values);
}

/** Rewards of the actions. All of them may change during a run. */
export const BANDIT_CONTROLS = [
  rewardParameter('rewardBait', 'Bait', 0.2, 'Immediate reward of the first action that spoils the outcome.'),
  rewardParameter('rewardKey', 'Key', 0.3, 'Immediate reward of the first action that enables the outcome.'),
  rewardParameter('outcomePrize', 'Prize', 1, 'Outcome of the right second action after the key.'),
  rewardParameter('outcomeCrumb', 'Crumb', 0.2, 'Outcome of the right second action after neither bait nor key.'),
] as const satisfies readonly NumberParameter[];

/** Values of BANDIT_CONTROLS. */
export type BanditRewards = StoredValues<typeof BANDIT_CONTROLS>;

/**
 * Selects the rewards from a run's controls. Other keys are ignored, and missing ones take their default.
 * @throws {ParameterError} for a value out of range
 */
export function banditRewards(controls: ParameterValues): BanditRewards {
  return pickParameters(BANDIT_CONTROLS, controls);
}
