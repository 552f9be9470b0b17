import type { ChoiceParameter, NumberParameter, ParameterValues } from '../../parameters/parameters.ts';
import { pickParameters } from '../../parameters/parameters.ts';
import { GRANULARITIES, type Granularity } from './granularity.ts';

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
export interface RepoControls {
  readonly rewardValid: number;
  readonly rewardInvalid: number;
  readonly outcomeSolved: number;
  readonly potential: number;
  readonly granularity: Granularity;
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
