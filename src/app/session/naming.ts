import type { ParameterValue, ParameterValues } from '../../parameters/parameters.ts';
import { DEFAULT_ENVIRONMENT, type RunConfiguration } from '../../training/data/configuration.ts';
import { SIZES } from '../../training/data/controls.ts';
import type { SavedRun } from '../../training/data/protocol.ts';
import { type Preset, presetRun, presetsOf, standardRun, worldOf, worldOfPreset } from '../../training/data/worlds.ts';
import { ruleTitle } from '../address/pageTables.ts';
import { DEFAULT_VIEW, linkOf, writeUrl } from '../address/url.ts';
import { laneStrings } from '../strings/runStrings.ts';
import { strings } from '../strings/strings.ts';
import { controlLabel, type Happening, listEffectiveChanges, valueText } from './runEvents.ts';
import type { RunModel } from './runModel.ts';

/** Cache of preset names. `presetOf` runs at each frame, but its result changes only with the link. */
const presets = new WeakMap<RunConfiguration, string>();

/** Returns the name of the preset of a configuration, or '' if no preset matches. Seed and update sizes are ignored. */
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

/** Returns the run of a preset with the present seed and engine, and with the present sizes that it does not set. */
export function presetFor(preset: Preset, present: RunConfiguration): RunConfiguration {
  const run = presetRun(preset);
  const { engine, seed } = present;
  return { ...run, engine, seed, controls: { ...run.controls, ...selectSizes(preset, present) } };
}

/** Returns a run with the update sizes that the user chose for `source`, if both have the same environment. */
export function sizedAs(run: RunConfiguration, source: RunConfiguration): RunConfiguration {
  if (source.environment !== run.environment) return run;
  return { ...run, controls: { ...run.controls, ...sizesChosen(source) } };
}

/** Returns the update sizes that the user chose and that the preset does not set. */
function selectSizes({ environment, controls, schedule }: Preset, present: RunConfiguration): ParameterValues {
  if (present.environment !== environment) return {};
  const presetNames = [controls, ...schedule.map(({ changes }) => changes)].flatMap((set) => Object.keys(set));
  return sizesChosen(present, presetNames);
}

/** Returns the update sizes of a run that differ from the standard sizes of its world. @param but names to leave out */
function sizesChosen(run: RunConfiguration, but: readonly string[] = []): ParameterValues {
  const usual = standardRun(run.environment, worldOf(run)).controls;
  const chosen = SIZES.filter((name) => name in usual && run.controls[name] !== usual[name] && !but.includes(name));
  return Object.fromEntries(chosen.map((name) => [name, run.controls[name] as ParameterValue]));
}

/** Returns two texts: the values that a preset sets, and the user's sizes that it leaves unchanged. */
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

/** Returns the titles of the rules of a run: the rule of its first update, and each later rule with its first step. */
function rulesIn(initial: unknown, events: readonly Happening[]) {
  const changes = events.flatMap(({ step, changes: all }) =>
    all.flatMap(({ name, to }) => (name === 'rule' ? [{ step, rule: ruleTitle(String(to)) }] : [])),
  );
  // A rule chosen at step 0 replaces the rule of the configuration before any update.
  const first = changes.findLast(({ step }) => step === 0)?.rule ?? ruleTitle(String(initial));
  return { first, subsequent: changes.filter(({ step }) => step > 0) };
}

/** Returns the name of a run: its environment if not the default, its last three rules, and its seed. */
export function runName({ configuration, events }: Pick<SavedRun, 'configuration' | 'events'>): string {
  const { first, subsequent } = rulesIn(configuration.controls.rule, listEffectiveChanges(configuration, events));
  const rules = [first, ...subsequent.map(({ rule }) => rule)];
  const distinct = rules.filter((rule, index) => rule !== rules[index - 1]);
  const name = strings.runs.name(distinct.slice(-3).join(' → '), configuration.seed);
  const { environment } = configuration;
  return environment === DEFAULT_ENVIRONMENT ? name : `${strings.environments.each[environment].title}: ${name}`;
}

/** Describes a run for a figure or table: its environment, its rules with their first steps, and its seed. */
export function describeRun({ environment, controls, seed }: RunConfiguration, events: readonly Happening[]): string {
  const { first, subsequent } = rulesIn(controls.rule, events);
  const rules = [first, ...subsequent.map(({ step, rule }) => strings.runs.ruleFrom(step, rule))];
  return strings.runs.summary(strings.environments.each[environment].title, rules.join(', '), seed);
}

/** Returns the query of a run, independent of the view. Storage identifies runs by this query. */
export function queryOf(configuration: RunConfiguration): string {
  return writeUrl(configuration, DEFAULT_VIEW);
}

/** Returns true if a run's link matches a query. A query without an engine matches all engines. */
export function matchesQuery(link: string, query: string): boolean {
  return link === query || link.replace(/&engine=[^&]*/, '') === query;
}

/** Returns the list entry of a saved run. */
export function describe(saved: SavedRun): { name: string; link: string } {
  return { name: runName(saved), link: queryOf(linkOf(saved)) };
}

/** Name of a run among other runs. */
export interface LaneName {
  /** Number of the run from 1, in display order. */
  readonly number: number;
  /** Full name, for example "MT-GRPO, from step 40 GRPO-OR, seed 2". */
  readonly title: string;
  /** Label for the end of a line, for example "2 GRPO-OR". */
  readonly short: string;
}

export type NamedRun = Pick<RunModel, 'configuration' | 'controls' | 'appliedEvents'>;

/** Returns names that distinguish the runs: by their rules, and by their seeds if the seeds differ. */
export function laneNames(runs: readonly NamedRun[]): readonly LaneName[] {
  const seeds = new Set(runs.map(({ configuration }) => configuration.seed));
  const rules = new Set(runs.map(({ controls }) => controls.rule));
  return runs.map(({ configuration, controls, appliedEvents }, index) => {
    const number = index + 1;
    const { first, subsequent } = rulesIn(configuration.controls.rule, appliedEvents);
    const from = subsequent.map(({ step, rule }) => laneStrings.from(step, rule));
    const labels = [first, ...from, ...describeChanges(appliedEvents)];
    if (seeds.size > 1) labels.push(laneStrings.seed(configuration.seed));
    const last = ruleTitle(String(controls.rule));
    const short = rules.size === 1 && seeds.size > 1 ? laneStrings.seed(configuration.seed) : last;
    return { number, title: labels.join(', '), short: `${number} ${short}` };
  });
}

/** Returns the texts of the changes that do not include the rule. */
function describeChanges(appliedEvents: readonly Happening[]): string[] {
  return appliedEvents.flatMap(({ step, text, changes }) =>
    changes.length > 0 && changes.every(({ name }) => name !== 'rule') ? [laneStrings.from(step, text)] : [],
  );
}
