import type { ParameterValues } from '../../parameters/parameters.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentName } from './configuration.ts';
import { plainWorld, standardRun, worldOf, worldsOf } from './worlds.ts';

/** Returns the command flags of a world, each with a leading space. @param left names of settings that are left out */
export function worldFlags(
  { environment, settings }: { readonly environment: EnvironmentName; readonly settings: ParameterValues },
  left: readonly string[] = [],
): string {
  const world = worldOf({ environment, settings }) ?? plainWorld(environment);
  const usual = standardRun(environment, world).settings;
  const changed = Object.keys(usual).filter((name) => settings[name] !== usual[name] && !left.includes(name));
  const named = [
    ...(environment === DEFAULT_ENVIRONMENT ? [] : [` --environment ${environment}`]),
    ...(world && world !== worldsOf(environment)[0] ? [` --world ${world.name}`] : []),
  ];
  return [...named, ...changed.map((name) => ` --${name} ${settings[name]}`)].join('');
}
