import {
  type ChoiceParameter,
  type NumberParameter,
  type ParameterValues,
  pickParameters,
  readParameters,
  type StoredValues,
} from '../../parameters/parameters.ts';
import { seedParameter, WARM_SEED } from '../shared/settings.ts';

/** Kind of the problems by their bugs: `one`, or `two`. With `two`, seven in ten draws have a second bug. */
export type Bugs = 'one' | 'two';

/** Settings of the problems and the warm start. They are fixed from the first step of a run. */
export const REPO_SETTINGS = [
  {
    kind: 'choice',
    name: 'bugs',
    label: 'Bugs',
    default: 'two',
    options: ['one', 'two'],
    help: 'one: every repository has one bug and an episode 12 steps. two: most have two, in different files, and 14 steps.',
  },
  seedParameter(
    'worldSeed',
    'World seed',
    'Draws the repositories, their bugs and tests, and the split into training and held-out problems. 0 is the shipped ' +
      'world; the problems of another world are generated first, which takes a while.',
  ),
  WARM_SEED,
] as const satisfies readonly (NumberParameter | ChoiceParameter)[];

/** Values of REPO_SETTINGS. */
export type RepoSettings = StoredValues<typeof REPO_SETTINGS>;

/**
 * Reads settings. Missing ones take their default.
 * @throws {ParameterError} for a value out of range or a name that the table lacks
 */
export function repoSettings(values: ParameterValues): RepoSettings {
  return readParameters(REPO_SETTINGS, values);
}

/** Maximum number of steps of an episode. */
export const MAX_STEPS: Readonly<Record<Bugs, number>> = { one: 12, two: 14 };

/**
 * Definition of equal states, for the comparison of turns. `history`: all actions before the turn, which results in a
 * prefix tree. `paper`: the operations on each file as a set, and counts (Rollout-Tree Monte Carlo, section 4).
 * `coarse`: only the edits and the counts of test results. `contents`: the present files, with the last action and its
 * observation (the anchor states of GiGPO).
 */
export const GRANULARITIES = ['history', 'paper', 'coarse', 'contents'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** Rewards, and the definition of equal states. All of them may change during a run. */
export const REPO_CONTROLS = [
  reward('rewardValid', 'Valid action', 0.02, 'Reward of an action that the repository could carry out.'),
  reward('rewardInvalid', 'Invalid action', -0.1, 'Reward of an action that it could not.'),
  reward('outcomeSolved', 'Solved', 1, 'Outcome of a finish after which all tests pass, hidden ones too; 0 otherwise.'),
  reward(
    'potential',
    'Potential of a check',
    0,
    'Potential Φ of a state in which every edit was checked. A turn also earns γ Φ(after) − Φ(before), and Φ is 0 at the ' +
      'end: the reward of the check is subtracted again at the next edit or at the end.',
  ),
  {
    kind: 'choice',
    name: 'granularity',
    label: 'States',
    default: 'paper',
    options: GRANULARITIES,
    help:
      'Criterion for equal states. history: all actions so far. paper: the operations on each file. coarse: edits and ' +
      'test results alone. contents: the files and the last reply.',
  },
] as const satisfies readonly (NumberParameter | ChoiceParameter)[];

function reward<Name extends string>(name: Name, label: string, value: number, help: string) {
  return { kind: 'number' as const, name, label, default: value, min: -2, max: 2, step: 0.01, help };
}

/** Values of REPO_CONTROLS, and the discount factor of the potential. */
export interface RepoControls extends StoredValues<typeof REPO_CONTROLS> {
  /**
   * Discount factor γ of the returns under RTMC; 1 if the run has none. Potential-based shaping keeps the best policy
   * only with this γ.
   */
  readonly rtmcGamma: number;
}

/**
 * Selects the environment's controls from a run's controls. Other keys are ignored, and missing ones take their
 * default.
 * @throws {ParameterError} for a value that the table does not allow
 */
export function repoControls(controls: ParameterValues): RepoControls {
  return { ...pickParameters(REPO_CONTROLS, controls), rtmcGamma: Number(controls.rtmcGamma ?? 1) };
}
