import type { EnvironmentPreset, NamedWorld } from '../../environments/descriptor.ts';
import { RELIABLE, type Reliability, UNRELIABLE } from '../../environments/environment.ts';
import { ENVIRONMENT_LIST, ENVIRONMENTS } from '../../environments/registry.ts';
import { defaults, type ParameterValues } from '../../parameters/parameters.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentName, type RunConfiguration } from './configuration.ts';
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

/** Named configuration of an environment. The page and the terminal have the same presets. */
export interface Preset extends Required<Omit<EnvironmentPreset, 'world'>>, Pick<EnvironmentPreset, 'world'> {
  readonly environment: EnvironmentName;
}

/** Presets of all environments. */
export const PRESETS: readonly Preset[] = ENVIRONMENT_LIST.flatMap(({ name, presets }) =>
  presets.map((preset) => ({ settings: {}, schedule: [], ...preset, environment: name })),
);

/** Returns the presets of an environment, in the order of menus. */
export function presetsOf(environment: EnvironmentName): readonly Preset[] {
  return PRESETS.filter((preset) => preset.environment === environment);
}

/** Returns a configuration with the values of a preset. @param base standard run of the preset's world */
export function applyPreset(preset: Preset, base: RunConfiguration): RunConfiguration {
  return {
    ...base,
    settings: { ...base.settings, ...preset.settings },
    controls: { ...base.controls, ...preset.controls },
    schedule: preset.schedule,
  };
}

/** Returns the world of a preset; undefined if the environment has no named worlds. */
export function worldOfPreset({ environment, world }: Preset): NamedWorld | undefined {
  return findWorld(environment, world);
}

/** Returns the configuration of a preset. */
export function presetRun(preset: Preset): RunConfiguration {
  return applyPreset(preset, standardRun(preset.environment, worldOfPreset(preset)));
}

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

/**
 * Returns the name of the shipped warm start of a world in src/environments/<name>/checkpoints. It contains the
 * settings on which the warm start depends, sorted by name, so equal worlds have equal names.
 */
export function warmStartName(environment: EnvironmentName, settings: ParameterValues): string {
  const { afterWarmStart, addedSettings = [], settings: table } = ENVIRONMENTS[environment];
  const standard = defaults(table);
  const parts = Object.keys(settings)
    .filter((name) => !afterWarmStart.includes(name))
    .filter((name) => !addedSettings.includes(name) || settings[name] !== standard[name])
    .sort()
    .map((name) => `${name}-${settings[name]}`);
  return [environment, ...parts].join('_');
}

/** Returns the file name of a world's reward model, which is stored next to the warm start of the world. */
export function rewardModelName(
  environment: EnvironmentName,
  settings: ParameterValues,
  reliability: Reliability,
): string {
  return `${warmStartName(environment, settings)}_${modelName(reliability)}`;
}

/**
 * Returns the name of a reward model among those of its world. The two shipped models have special names.
 */
export function modelName({ noise, bias }: Reliability): string {
  const is = (known: Reliability) => noise === known.noise && bias === known.bias;
  if (is(RELIABLE)) return 'reward-model';
  if (is(UNRELIABLE)) return 'unreliable-reward-model';
  return `reward-model_noise-${noise}_bias-${bias}`;
}
