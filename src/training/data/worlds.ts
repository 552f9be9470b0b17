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

/** The world of a name; undefined where there is none, or no name is given. */
export function findWorld(environment: EnvironmentName, wanted: string | undefined): NamedWorld | undefined {
  return worldsOf(environment).find(({ name }) => name === wanted);
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

/** What a run in an environment is unless told otherwise, in the page and in the terminal. */
export function openingRun(environment: EnvironmentName): RunConfiguration {
  return standardRun(environment, worldsOf(environment)[0]);
}

/** A run begun in a named world in the place of another: what only its worlds set goes back to the defaults first. */
export function inWorld(world: NamedWorld, present: RunConfiguration): RunConfiguration {
  const { settings, controls } = defaultConfiguration(present.environment);
  const set = worldsOf(present.environment).flatMap((one) => Object.keys(one.controls));
  const usual = Object.fromEntries(set.flatMap((name) => (name in controls ? [[name, controls[name]]] : [])));
  return applyWorld(world, { ...present, settings, controls: { ...present.controls, ...usual } });
}

/**
 * The named world that a run is in: the one whose settings it has, whatever else is set. The plain one, which
 * has none of its own, where all settings are the defaults; undefined elsewhere.
 */
export function worldOf({
  environment,
  settings,
}: Pick<RunConfiguration, 'environment' | 'settings'>): NamedWorld | undefined {
  const usual = defaultConfiguration(environment).settings;
  return worldsOf(environment).find(({ settings: own }) => {
    const wanted = Object.keys(own).length > 0 ? own : usual;
    return Object.keys(wanted).every((name) => settings[name] === wanted[name]);
  });
}
