import { type ParameterTable, type ParameterValues, type Values, valuesOf } from '../../parameters/parameters.ts';
import type { RunTables } from '../../training/data/configurationTables.ts';

// Arm without a credit rule: expert iteration trains its policies (decision 023).

/** Name that replaces the credit rule in the name of an arm: `expert-iteration:samples=4`. */
export const EXPERT_ARM = 'expert-iteration';

/** Parameters of an expert iteration, in addition to its world and seed. */
export const EXPERT_PARAMETERS = [
  {
    kind: 'number',
    name: 'iterations',
    label: 'iterations',
    default: 2,
    min: 1,
    max: 10,
    step: 1,
    integer: true,
    help: 'Iterations.',
  },
  {
    kind: 'number',
    name: 'samples',
    label: 'rollouts',
    default: 15,
    min: 2,
    max: 40,
    step: 1,
    integer: true,
    help: 'Rollouts of each training problem in an iteration.',
  },
  {
    kind: 'number',
    name: 'turns',
    label: 'turns',
    default: 3,
    min: 1,
    max: 4,
    step: 1,
    integer: true,
    help: 'Maximum turns of a rollout, and attempts of the measurement.',
  },
  {
    kind: 'number',
    name: 'temperature',
    label: 'temperature',
    default: 0.7,
    min: 0.05,
    max: 2,
    step: 0.05,
    help: 'Temperature of the rollouts.',
  },
  {
    kind: 'choice',
    name: 'expert',
    label: 'expert',
    default: 'verifier',
    options: ['verifier', 'tests', 'tests-verifier'],
    help:
      'Criterion for the best program of a problem: the verifier; the tests (the first program that passes all of them; ' +
      'problems without such a program are omitted); or the tests, then the verifier.',
  },
  {
    kind: 'number',
    name: 'verifierSteps',
    label: 'verifier steps',
    default: 400,
    min: 1,
    max: 100_000,
    step: 1,
    integer: true,
    help: 'Optimiser steps of a verifier, each on 64 pairs.',
  },
  {
    kind: 'number',
    name: 'epochs',
    label: 'epochs',
    default: 2,
    min: 0.01,
    max: 100,
    step: 0.01,
    help: 'Passes over the relabelled turns.',
  },
  {
    kind: 'number',
    name: 'learningRate',
    label: 'learning rate',
    default: 1e-3,
    min: 1e-6,
    max: 1e-1,
    step: 1e-6,
    help: 'Largest learning rate of the imitation.',
  },
] as const satisfies ParameterTable;

export type ExpertValues = Values<typeof EXPERT_PARAMETERS>;

/** Returns true if an arm is an expert iteration. */
export function isExpert({ rule }: { readonly rule: string }): boolean {
  return rule === EXPERT_ARM;
}

/** Returns the parameters of an arm. Parameters that the arm does not name have their defaults. */
export function expertValues({ changes }: { readonly changes: ParameterValues }): ExpertValues {
  return valuesOf(EXPERT_PARAMETERS, changes);
}

/** Returns true if the environment has complete programs to imitate and a reward model that can score them. */
export function supportsExpertIteration({ environment }: Pick<RunTables, 'environment'>): boolean {
  return environment.rewardModel !== undefined && environment.measuredBy === 'refinement';
}
