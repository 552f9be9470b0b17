import type { NamedWorld } from '../../environments/descriptor.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { EnvironmentName, RunConfiguration } from './configuration.ts';

/** The named worlds of an environment, in the order in which people are offered them; none where there is one alone. */
export function worldsOf(environment: EnvironmentName): readonly NamedWorld[] {
  return ENVIRONMENTS[environment].worlds ?? [];
}

/** A named world laid over a configuration of the defaults of its environment. */
export function applyWorld({ settings, controls }: NamedWorld, base: RunConfiguration): RunConfiguration {
  return { ...base, settings: { ...base.settings, ...settings }, controls: { ...base.controls, ...controls } };
}

/**
 * The named world that a run is in: the one whose settings it has, whatever else is set; undefined where it has those of
 * none but the plain one.
 */
export function worldOf({ environment, settings }: Pick<RunConfiguration, 'environment' | 'settings'>) {
  return worldsOf(environment).find(({ settings: own }) => {
    const names = Object.keys(own);
    return names.length > 0 && names.every((name) => settings[name] === own[name]);
  });
}
