import type { EnvironmentPreset, NamedWorld } from '../../environments/descriptor.ts';
import { ENVIRONMENT_LIST } from '../../environments/registry.ts';
import type { EnvironmentName, RunConfiguration } from './configuration.ts';
import { findWorld, standardRun } from './worlds.ts';

/** Named configuration of an environment. The page and the terminal have the same presets. */
export interface Preset extends EnvironmentPreset {
  readonly environment: EnvironmentName;
}

/** Presets of all environments. */
export const PRESETS: readonly Preset[] = ENVIRONMENT_LIST.flatMap(({ name, presets }) =>
  presets.map((preset) => ({ ...preset, environment: name })),
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
