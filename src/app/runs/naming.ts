import type { ParameterValue, ParameterValues } from '../../parameters/parameters.ts';
import { DEFAULT_ENVIRONMENT, type RunConfiguration } from '../../training/data/configuration.ts';
import { type Preset, presetRun, presetsOf, worldOfPreset } from '../../training/data/presets.ts';
import type { SavedRun } from '../../training/data/protocol.ts';
import { SIZES } from '../../training/data/sizes.ts';
import { standardRun, worldOf } from '../../training/data/worlds.ts';
import { ruleTitle } from '../address/pageTables.ts';
import { DEFAULT_VIEW, writeUrl } from '../address/url.ts';
import { strings } from '../strings/strings.ts';
import { controlLabel, type Happening, listEffectiveChanges, valueText } from './appliedEvents.ts';

/** Asked at every frame, while the answer changes with the link only. */
const presets = new WeakMap<RunConfiguration, string>();

/** The name of the preset that a configuration is, whatever its seed and the sizes of its updates; empty for none. */
export function presetOf(configuration: RunConfiguration): string {
  const known = presets.get(configuration) ?? findPreset(configuration);
  presets.set(configuration, known);
  return known;
}

function findPreset(configuration: RunConfiguration): string {
  const query = writeUrl(configuration, DEFAULT_VIEW);
  const same = (preset: Preset) => writeUrl(presetFor(preset, configuration), DEFAULT_VIEW) === query;
  return presetsOf(configuration.environment).find(same)?.name ?? '';
}

/** A preset begun in the place of a run: the seed stays, and so do the sizes that the preset does not set. */
export function presetFor(preset: Preset, present: RunConfiguration): RunConfiguration {
  const run = presetRun(preset);
  const { engine, seed } = present;
  return { ...run, engine, seed, controls: { ...run.controls, ...selectSizes(preset, present) } };
}

/** A run with the sizes of updates that another one of its environment was given. */
export function sizedAs(run: RunConfiguration, source: RunConfiguration): RunConfiguration {
  if (source.environment !== run.environment) return run;
  return { ...run, controls: { ...run.controls, ...sizesChosen(source) } };
}

/** Returns the sizes that a user chose, that differ from the run's world, and that a preset does not set. */
function selectSizes({ environment, controls, schedule }: Preset, present: RunConfiguration): ParameterValues {
  if (present.environment !== environment) return {};
  const presetNames = [controls, ...schedule.map(({ changes }) => changes)].flatMap((set) => Object.keys(set));
  return sizesChosen(present, presetNames);
}

/** The sizes of a run's updates that are not those of its world. @param but names to leave out */
function sizesChosen(run: RunConfiguration, but: readonly string[] = []): ParameterValues {
  const usual = standardRun(run.environment, worldOf(run)).controls;
  const chosen = SIZES.filter((name) => name in usual && run.controls[name] !== usual[name] && !but.includes(name));
  return Object.fromEntries(chosen.map((name) => [name, run.controls[name] as ParameterValue]));
}

/** Returns texts with everything that a preset sets, and with the user's sizes that it does not change. */
export function describePreset(preset: Preset, run: RunConfiguration): { sets: string; retained: string } {
  const { environment, settings, controls, schedule } = preset;
  const world = worldOfPreset(preset);
  const list = (values: ParameterValues) =>
    Object.entries(values).map(([name, value]) =>
      strings.presets.value(controlLabel(environment, name), valueText(environment, name, value)),
    );
  const parts = [
    ...(world ? [strings.presets.world(world.title)] : []),
    ...list({ ...controls, ...settings }),
    ...schedule.map(({ step, changes }) => strings.presets.from(step, list(changes).join(', '))),
  ];
  const chosen = list(selectSizes(preset, run));
  return {
    sets: strings.presets.sets(parts.join(', ')),
    retained: chosen.length > 0 ? strings.presets.retained(chosen.join(', ')) : '',
  };
}

/** A run's name: its environment unless that is the first, its rules in the order of their use, and its seed. */
export function runName({ configuration, events }: Pick<SavedRun, 'configuration' | 'events'>): string {
  const chosen = listEffectiveChanges(configuration, events).flatMap(({ step, changes }) =>
    changes.filter(({ name }) => name === 'rule').map(({ to }) => ({ step, to })),
  );
  // A rule that was chosen before the first update was never trained with another.
  const first = chosen.findLast(({ step }) => step === 0)?.to ?? configuration.controls.rule;
  const subsequent = chosen.filter(({ step }) => step > 0);
  const rules = [first, ...subsequent.map(({ to }) => to)].map((rule) => ruleTitle(String(rule)));
  const distinct = rules.filter((rule, index) => rule !== rules[index - 1]);
  const name = strings.runs.name(distinct.slice(-3).join(' → '), configuration.seed);
  const { environment } = configuration;
  return environment === DEFAULT_ENVIRONMENT ? name : `${strings.environments.each[environment].title}: ${name}`;
}

/** A run for a figure or a table: its environment, its rules and from when, its seed. */
export function describeRun({ environment, controls, seed }: RunConfiguration, events: readonly Happening[]): string {
  const changes = events.flatMap(({ step, changes: all }) =>
    all.flatMap(({ name, to }) => (name === 'rule' ? { step, rule: ruleTitle(String(to)) } : [])),
  );
  const first = changes.findLast(({ step }) => step === 0)?.rule ?? ruleTitle(String(controls.rule));
  const subsequent = changes.filter(({ step }) => step > 0).map(({ step, rule }) => strings.runs.ruleFrom(step, rule));
  return strings.runs.summary(strings.environments.each[environment].title, [first, ...subsequent].join(', '), seed);
}
