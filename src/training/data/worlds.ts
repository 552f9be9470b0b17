import type { NamedWorld } from '../../environments/descriptor.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { EnvironmentName, RunConfiguration } from './configuration.ts';
import { defaultConfiguration } from './configurationTables.ts';

/** Returns the named worlds of an environment in the order of menus; empty if the environment has a single world. */
export function worldsOf(environment: EnvironmentName): readonly NamedWorld[] {
  return ENVIRONMENTS[environment].worlds ?? [];
}

/** Returns the named world with the default settings. Links and files without a world name refer to it. */
export function plainWorld(environment: EnvironmentName): NamedWorld | undefined {
  return worldOf(defaultConfiguration(environment));
}

/** Returns the world with the requested name; undefined if no world has this name or the name is undefined. */
export function findWorld(environment: EnvironmentName, requested: string | undefined): NamedWorld | undefined {
  return worldsOf(environment).find(({ name }) => name === requested);
}

/** Returns a configuration with the settings and controls of a named world. @param base default configuration */
export function applyWorld({ settings, controls }: NamedWorld, base: RunConfiguration): RunConfiguration {
  return { ...base, settings: { ...base.settings, ...settings }, controls: { ...base.controls, ...controls } };
}

/** Returns the standard run of an environment, in a named world if it is defined. */
export function standardRun(environment: EnvironmentName, world: NamedWorld | undefined): RunConfiguration {
  const plain = defaultConfiguration(environment);
  return world ? applyWorld(world, plain) : plain;
}

/** Returns the default run of an environment on the page and in the terminal. */
export function openingRun(environment: EnvironmentName): RunConfiguration {
  return standardRun(environment, worldsOf(environment)[0]);
}

/**
 * Returns the configuration of a run that continues in another named world. Controls that any world sets are reset to
 * their defaults before the controls of the new world are applied.
 */
export function inWorld(world: NamedWorld, present: RunConfiguration): RunConfiguration {
  const { settings, controls } = defaultConfiguration(present.environment);
  const set = worldsOf(present.environment).flatMap((candidate) => Object.keys(candidate.controls));
  const usual = Object.fromEntries(set.flatMap((name) => (name in controls ? [[name, controls[name]]] : [])));
  return applyWorld(world, { ...present, settings, controls: { ...present.controls, ...usual } });
}

/**
 * Returns the named world of a run: the world whose settings equal those of the run. Settings that the world does not
 * name can have any value. The plain world names no settings and matches only the defaults. Returns undefined if no
 * world matches.
 */
export function worldOf({
  environment,
  settings,
}: Pick<RunConfiguration, 'environment' | 'settings'>): NamedWorld | undefined {
  const usual = defaultConfiguration(environment).settings;
  return worldsOf(environment).find(({ settings: worldSettings }) => {
    const expected = Object.keys(worldSettings).length > 0 ? worldSettings : usual;
    return Object.keys(expected).every((name) => settings[name] === expected[name]);
  });
}
