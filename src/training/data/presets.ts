import type { EnvironmentPreset, NamedWorld } from '../../environments/descriptor.ts';
import { ENVIRONMENT_LIST } from '../../environments/registry.ts';
import type { EnvironmentName, RunConfiguration } from './configuration.ts';
import { findWorld, standardRun } from './worlds.ts';

/** A named run of an environment. The page and the terminal offer the same list. */
export interface Preset extends EnvironmentPreset {
  readonly environment: EnvironmentName;
}

/** The presets of all environments. */
export const PRESETS: readonly Preset[] = ENVIRONMENT_LIST.flatMap(({ name, presets }) =>
  presets.map((preset) => ({ ...preset, environment: name })),
);

/** The presets of an environment, in the order in which people are offered them. */
export function presetsOf(environment: EnvironmentName): readonly Preset[] {
  return PRESETS.filter((preset) => preset.environment === environment);
}

/** A preset laid over the standard run of a world. */
export function applyPreset(preset: Preset, base: RunConfiguration): RunConfiguration {
  return {
    ...base,
    settings: { ...base.settings, ...preset.settings },
    controls: { ...base.controls, ...preset.controls },
    schedule: preset.schedule,
  };
}

/** The world that a preset is in; undefined where worlds have no names. */
export function worldOfPreset({ environment, world }: Preset): NamedWorld | undefined {
  return findWorld(environment, world);
}

/** The run that a preset is. */
export function presetRun(preset: Preset): RunConfiguration {
  return applyPreset(preset, standardRun(preset.environment, worldOfPreset(preset)));
}
