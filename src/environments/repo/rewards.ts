import type { ChoiceParameter, NumberParameter, ParameterValues } from '../../parameters/parameters.ts';
import { pickParameters } from '../../parameters/parameters.ts';
import { GRANULARITIES, type Granularity } from './granularity.ts';

/** Rewards, and what states are told apart by; all of it may change while training runs. */
export const REPO_CONTROLS = [
  reward('rewardValid', 'Valid action', 0.02, 'Reward of an action that the repository could carry out.'),
  reward('rewardInvalid', 'Invalid action', -0.1, 'Reward of an action that it could not.'),
  reward('outcomeSolved', 'Solved', 1, 'Outcome of a finish after which all tests pass, hidden ones too; 0 otherwise.'),
  {
    kind: 'choice',
    name: 'granularity',
    label: 'States',
    default: 'paper',
    options: GRANULARITIES,
    help:
      'What makes two states the same. history: all actions so far. paper: the operations on each file. coarse: edits and ' +
      'test results alone. contents: the files and the last reply.',
  },
] as const satisfies readonly (NumberParameter | ChoiceParameter)[];

function reward<Name extends string>(name: Name, label: string, value: number, help: string) {
  return { kind: 'number' as const, name, label, default: value, min: -2, max: 2, step: 0.01, help };
}

/** Values of REPO_CONTROLS. */
export interface RepoControls {
  readonly rewardValid: number;
  readonly rewardInvalid: number;
  readonly outcomeSolved: number;
  readonly granularity: Granularity;
}

/**
 * Picks the environment's controls out of a run's; other keys are ignored, missing ones take their default.
 * @throws {ParameterError} for a value that the table does not allow
 */
export function repoControls(controls: ParameterValues): RepoControls {
  return pickParameters(REPO_CONTROLS, controls);
}
