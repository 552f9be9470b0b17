import type { ChoiceParameter, NumberParameter, ParameterValues } from '../../parameters/parameters.ts';
import { readParameters } from '../../parameters/parameters.ts';
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
export interface RepoSettings {
  readonly bugs: Bugs;
  readonly worldSeed: number;
  readonly warmSeed: number;
}

/**
 * Reads settings. Missing ones take their default.
 * @throws {ParameterError} for a value out of range or a name that the table lacks
 */
export function repoSettings(values: ParameterValues): RepoSettings {
  return readParameters(REPO_SETTINGS, values);
}

/** Maximum number of steps of an episode. */
export const MAX_STEPS: Readonly<Record<Bugs, number>> = { one: 12, two: 14 };
