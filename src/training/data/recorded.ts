import { ENVIRONMENT_LIST } from '../../environments/registry.ts';
import type { EnvironmentName, RunConfiguration } from './configuration.ts';
import { PRESETS, type Preset, presetRun } from './presets.ts';

/** What a shipped recording is of: a preset, or several of one world beside one another. */
export interface Recorded {
  /** Of its file; unique. */
  readonly name: string;
  readonly title: string;
  /** One sentence: what there is to see. */
  readonly shows: string;
  readonly environment: EnvironmentName;
  readonly presets: readonly [Preset, ...Preset[]];
}

const ALONE: readonly Recorded[] = PRESETS.map((preset) => {
  const { name, title, shows, environment } = preset;
  return { name, title, shows, environment, presets: [preset] };
});

const TOGETHER: readonly Recorded[] = ENVIRONMENT_LIST.flatMap(({ name: environment, comparedPresets = [] }) =>
  comparedPresets.map(({ name, title, shows, presets: [first, ...others] }) => {
    const presets = [presetCalled(first), ...others.map(presetCalled)] as const;
    return { name, title, shows, environment, presets };
  }),
);

/** All of them, presets alone first. */
export const RECORDED: readonly Recorded[] = [...ALONE, ...TOGETHER];

/** What is recorded of an environment beside one another. */
export function comparedIn(environment: EnvironmentName): readonly Recorded[] {
  return TOGETHER.filter((recorded) => recorded.environment === environment);
}

/** The recording of a preset alone. */
export function recordedAlone({ name }: Preset): Recorded {
  return ALONE.find((recorded) => recorded.name === name) as Recorded;
}

/** The runs of a recording, in their order. */
export function runsOf({ presets: [first, ...others] }: Recorded): readonly [RunConfiguration, ...RunConfiguration[]] {
  return [presetRun(first), ...others.map(presetRun)];
}

function presetCalled(name: string): Preset {
  const preset = PRESETS.find((known) => known.name === name);
  if (!preset) throw new Error(`there is no preset ${name} to be recorded beside others`);
  return preset;
}
