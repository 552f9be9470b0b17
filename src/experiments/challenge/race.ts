import type { RunConfiguration } from '../../training/data/configuration.ts';
import { checkConfiguration } from '../../training/data/configurationTables.ts';
import { openingRun } from '../../training/data/worlds.ts';

/** The race of the challenge: a rule of somebody's own and two built-in ones, each with the same seeds. */
export const RACE = {
  environment: 'search',
  /** Updates of a run. */
  steps: 30,
  seeds: [1, 2, 3],
  rules: ['mt-grpo', 'grpo-or'],
  /** Metric that decides the race. Questions that training asks can be answered from memory in this world. */
  line: 'heldOut:answer',
  /** Measurements at the end over which a run is judged. */
  last: 2,
} as const;

/** A run of the race: all of it follows from the rule. */
export interface RaceRun {
  /** `own, seed 1`. */
  readonly name: string;
  readonly rule: string;
  readonly seed: number;
  readonly steps: number;
  readonly configuration: RunConfiguration;
}

/** The runs of a race, all rules of a seed before the next. @param customRule from encodeCustomRule */
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
