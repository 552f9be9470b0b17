import type { EngineName } from '../../engine/engineName.ts';
import type { EnvironmentName } from '../../environments/registry.ts';
import type { ParameterValue } from '../../parameters/parameters.ts';

export { type EngineName, EXACT, isExact, readEngineName, WGSL } from '../../engine/engineName.ts';

/** Version of the configuration format in URLs, saved runs and exports. */
export const CONFIGURATION_VERSION = 1;

export { DEFAULT_ENVIRONMENT, ENVIRONMENT_NAMES, type EnvironmentName } from '../../environments/registry.ts';

/**
 * Configuration that determines a run on a given device. `settings` determine the world and its warm start, and are
 * fixed from the first step. `controls` can change during the run, and each change is an event.
 */
export interface RunConfiguration {
  readonly version: typeof CONFIGURATION_VERSION;
  readonly environment: EnvironmentName;
  /** Engine of the run. If absent, the host selects it. Runs and their files always have an engine. */
  readonly engine?: EngineName | undefined;
  /** Values by name of the environment's settings, for example `knownShare`. */
  readonly settings: Readonly<Record<string, ParameterValue>>;
  readonly seed: number;
  /** Values of the rule, its parameters, reward weights and training controls: `{ rule: 'mt-grpo', alpha: 1, ... }`. */
  readonly controls: Readonly<Record<string, ParameterValue>>;
  /** Changes that are applied before the update of their step. */
  readonly schedule: readonly ScheduledChange[];
}

export interface ScheduledChange {
  readonly step: number;
  readonly changes: Readonly<Record<string, ParameterValue>>;
}
