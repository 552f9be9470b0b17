import { ENVIRONMENT_NAMES, type RunConfiguration } from '../training/configuration.ts';
import { applyPreset, type Preset, presetsOf } from '../training/presets.ts';
import type { SavedRun } from '../training/protocol.ts';
import { strings } from './strings.ts';
import { defaultConfiguration, ruleTitle } from './tables.ts';
import { DEFAULT_VIEW, writeUrl } from './url.ts';

/** Asked at every frame, while the answer changes with the link only. */
const presets = new WeakMap<RunConfiguration, string>();

/** The name of the preset that a configuration is, whatever its seed; empty for none. */
export function presetOf(configuration: RunConfiguration): string {
  const known = presets.get(configuration) ?? findPreset(configuration);
  presets.set(configuration, known);
  return known;
}

function findPreset(configuration: RunConfiguration): string {
  const { environment, seed } = configuration;
  const query = writeUrl(configuration, DEFAULT_VIEW);
  const base = { ...defaultConfiguration(environment), seed };
  const same = (preset: Preset) => writeUrl(applyPreset(preset, base), DEFAULT_VIEW) === query;
  return presetsOf(environment).find(same)?.name ?? '';
}

/** A run's name: its environment unless that is the first, its rules in the order of their use, and its seed. */
export function runName({ configuration, events }: Pick<SavedRun, 'configuration' | 'events'>): string {
  const chosen = events.filter(({ changes }) => changes.rule !== undefined);
  // A rule that was chosen before the first update was never trained with another.
  const first = chosen.findLast(({ step }) => step === 0)?.changes.rule ?? configuration.controls.rule;
  const later = chosen.filter(({ step }) => step > 0).map(({ changes }) => changes.rule);
  const rules = [first, ...later].map((rule) => ruleTitle(String(rule)));
  const distinct = rules.filter((rule, index) => rule !== rules[index - 1]);
  const name = strings.runs.name(distinct.slice(-3).join(' → '), configuration.seed);
  const { environment } = configuration;
  return environment === ENVIRONMENT_NAMES[0] ? name : `${strings.environments.each[environment].title}: ${name}`;
}
