import type { NamedWorld } from '../../environments/descriptor.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { EnvironmentName, RunConfiguration } from './configuration.ts';
import { defaultConfiguration } from './configurationTables.ts';

/** The named worlds of an environment, in the order in which people are offered them; none where there is one alone. */
export function worldsOf(environment: EnvironmentName): readonly NamedWorld[] {
  return ENVIRONMENTS[environment].worlds ?? [];
}

/** The named world whose settings are the defaults: what links and files mean that name none. */
export function plainWorld(environment: EnvironmentName): NamedWorld | undefined {
  return worldOf(defaultConfiguration(environment));
}

/** Returns the world with the given name; undefined if no world has this name, or if no name is given. */
export function findWorld(environment: EnvironmentName, requested: string | undefined): NamedWorld | undefined {
  return worldsOf(environment).find(({ name }) => name === requested);
}

/** A named world laid over a configuration of the defaults of its environment. */
export function applyWorld({ settings, controls }: NamedWorld, base: RunConfiguration): RunConfiguration {
  return { ...base, settings: { ...base.settings, ...settings }, controls: { ...base.controls, ...controls } };
}

/** The standard run of an environment, in a named world where one is given. */
export function standardRun(environment: EnvironmentName, world: NamedWorld | undefined): RunConfiguration {
  const plain = defaultConfiguration(environment);
  return world ? applyWorld(world, plain) : plain;
}

/** Returns the default run of an environment, in the page and in the terminal. */
export function openingRun(environment: EnvironmentName): RunConfiguration {
  return standardRun(environment, worldsOf(environment)[0]);
}

/**
 * Returns the configuration of a run in a named world that replaces another run. Controls that only worlds set first
 * return to their defaults.
 */
export function inWorld(world: NamedWorld, present: RunConfiguration): RunConfiguration {
  const { settings, controls } = defaultConfiguration(present.environment);
  const set = worldsOf(present.environment).flatMap((candidate) => Object.keys(candidate.controls));
  const usual = Object.fromEntries(set.flatMap((name) => (name in controls ? [[name, controls[name]]] : [])));
  return applyWorld(world, { ...present, settings, controls: { ...present.controls, ...usual } });
}

/**
 * Returns the named world of a run: the world whose settings are equal to those of the run, whatever the other settings
 * are. The plain world has no settings; it is returned if all settings are the defaults. Returns undefined otherwise.
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
