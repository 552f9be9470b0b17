// Parameters that are the same in several environments.

/** Creates the parameter of a seed. The seed is fixed from the first step of a run. */
export const seedParameter = <Name extends string>(name: Name, label: string, help: string) => ({
  kind: 'number' as const,
  name,
  label,
  default: 0,
  min: 0,
  max: 999999,
  step: 1,
  integer: true,
  help,
});

/** Parameter for the seed of a warm start. */
export const WARM_SEED = seedParameter(
  'warmSeed',
  'Warm-start seed',
  'Draws the initial weights and the demonstrations of the warm start.',
);

/** Creates the parameter of a reward. The reward may change during a run. */
export const rewardParameter = <Name extends string>(name: Name, label: string, value: number, help: string) => ({
  kind: 'number' as const,
  name,
  label,
  default: value,
  min: -2,
  max: 2,
  step: 0.05,
  help,
});
