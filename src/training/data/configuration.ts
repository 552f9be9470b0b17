import type { EngineName } from '../../engine/engineName.ts';
import type { EnvironmentName } from '../../environments/registry.ts';
import type { ParameterValue } from '../../parameters/parameters.ts';

export { type EngineName, EXACT, isExact, readEngineName, WGSL } from '../../engine/engineName.ts';

/** Version of the configuration's meaning; goes into URLs, saved runs and exports. */
export const CONFIGURATION_VERSION = 1;

export { DEFAULT_ENVIRONMENT, ENVIRONMENT_NAMES, type EnvironmentName } from '../../environments/registry.ts';

/**
 * Everything that determines a run on a given device. `settings` are fixed from the first step (they shape the world
 * and its warm start). `controls` may change during the run, and every change is an event.
 */
export interface RunConfiguration {
  readonly version: typeof CONFIGURATION_VERSION;
  readonly environment: EnvironmentName;
  /** The engine that computes the run. Absent: the place that it runs in chooses. Runs and files name theirs. */
  readonly engine?: EngineName | undefined;
  /** Keys of the environment's settings table, for example `knownShare`. */
  readonly settings: Readonly<Record<string, ParameterValue>>;
  readonly seed: number;
  /** Rule, its parameters, reward weights and training controls, flat: `{ rule: 'mt-grpo', alpha: 1, ... }`. */
  readonly controls: Readonly<Record<string, ParameterValue>>;
  /** Changes that happen by themselves before the update of the given step. */
  readonly schedule: readonly ScheduledChange[];
}

export interface ScheduledChange {
  readonly step: number;
  readonly changes: Readonly<Record<string, ParameterValue>>;
}
