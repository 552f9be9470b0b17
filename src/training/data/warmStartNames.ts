import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { EnvironmentName } from './configuration.ts';

/**
 * Name of the shipped checkpoint of a world's warm start, below src/environments/<name>/checkpoints: the settings
 * that it depends on in the order of their names, so that the same world always gives the same name.
 */
export function warmStartName(environment: EnvironmentName, settings: ParameterValues): string {
  const { afterWarmStart } = ENVIRONMENTS[environment];
  const parts = Object.keys(settings)
    .filter((name) => !afterWarmStart.includes(name))
    .sort()
    .map((name) => `${name}-${settings[name]}`);
  return [environment, ...parts].join('_');
}
