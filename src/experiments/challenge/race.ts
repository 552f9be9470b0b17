import type { RunConfiguration } from '../../training/data/configuration.ts';
import { checkConfiguration } from '../../training/data/configurationTables.ts';
import { openingRun } from '../../training/data/worlds.ts';

/** Race of the challenge: a custom rule and two built-in rules, trained with the same seeds. */
export const RACE = {
  environment: 'search',
  /** Number of updates of each run. */
  steps: 30,
  seeds: [1, 2, 3],
  rules: ['mt-grpo', 'grpo-or'],
  /** Metric that decides the race. It uses held-out questions because memory suffices for the training questions. */
  line: 'heldOut:answer',
  /** Number of measurements at the end of a run whose mean decides. */
  last: 2,
} as const;

/** Run of the race. Its configuration follows from the rule and the seed. */
export interface RaceRun {
  /** Name, for example `own, seed 1`. */
  readonly name: string;
  readonly rule: string;
  readonly seed: number;
  readonly steps: number;
  readonly configuration: RunConfiguration;
}

/** Returns the runs of a race, ordered by seed, then by rule. @param customRule name from encodeCustomRule */
export function raceRuns(customRule: string): readonly RaceRun[] {
  const usual = openingRun(RACE.environment);
  return RACE.seeds.flatMap((seed) =>
    [customRule, ...RACE.rules].map((rule) => ({
      name: `${rule === customRule ? 'own' : rule}, seed ${seed}`,
      ...{ rule, seed, steps: RACE.steps },
      configuration: checkConfiguration({ ...usual, seed, controls: { ...usual.controls, rule } }),
    })),
  );
}
