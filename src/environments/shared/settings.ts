// Parameters that are the same in several environments.

/** A number that draws something: fixed from the first step of a run on. */
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

/** The seed of a warm start, for environments whose worlds are shipped. */
export const WARM_SEED = seedParameter(
  'warmSeed',
  'Warm-start seed',
  'Draws the initial weights and the demonstrations of the warm start.',
);

/** A reward; it may change while training runs. */
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
