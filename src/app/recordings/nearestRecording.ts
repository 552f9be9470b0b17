import type { Parameter, ParameterValues } from '../../parameters/parameters.ts';
import type { EnvironmentName, RunConfiguration } from '../../training/data/configuration.ts';
import { PRESETS, type Preset, presetRun, presetsOf } from '../../training/data/presets.ts';
import { openingRun } from '../../training/data/worlds.ts';
import { ruleTitle, tablesFor } from '../address/pageTables.ts';
import { strings } from '../strings/strings.ts';

/** What plays where nothing in particular was asked for: the run that shows both ends of the story. */
export const FIRST_RECORDING = 'toggle';

/** How much less near a recording is for another rule, another schedule, and any other value. */
const COSTS = { rule: 100, schedule: 10, value: 1 } as const;

/** The preset whose recording comes nearest to a run: of its environment, of its rule if there is one, and else the standard run. */
export function nearestRecording(asked: RunConfiguration): Preset {
  const standard = recordingOfEnvironment(asked.environment);
  const others = presetsOf(asked.environment).filter((preset) => preset !== standard);
  const distances = [standard, ...others].map((preset) => ({ preset, distance: distance(asked, preset) }));
  return distances.reduce((best, one) => (one.distance < best.distance ? one : best)).preset;
}

/** The preset that is the standard run of an environment. */
export function recordingOfEnvironment(environment: EnvironmentName): Preset {
  const asked = openingRun(environment);
  const presets = presetsOf(environment);
  return presets.find((preset) => distance(asked, preset) === 0) ?? (presets[0] as Preset);
}

function distance(asked: RunConfiguration, preset: Preset): number {
  const played = presetRun(preset);
  const rule = asked.controls.rule === played.controls.rule ? 0 : COSTS.rule;
  const schedule = scheduleText(asked) === scheduleText(played) ? 0 : COSTS.schedule;
  return rule + schedule + COSTS.value * changedValues(asked, played).length;
}

/** What was asked for and is not played, in words; empty where the recording is the run. */
export function notPlayed(asked: RunConfiguration, played: RunConfiguration): readonly string[] {
  const texts = strings.recording.differences;
  const told: string[] = [];
  if (asked.environment !== played.environment) {
    // Nothing else of another environment can be compared.
    return [texts.environment(strings.environments.each[asked.environment].title)];
  }
  if (asked.controls.rule !== played.controls.rule) told.push(texts.rule(ruleTitle(String(asked.controls.rule))));
  if (asked.seed !== played.seed) told.push(texts.seed(asked.seed));
  if (scheduleText(asked) !== scheduleText(played)) {
    const changes = asked.schedule.flatMap(({ step, changes }) =>
      Object.entries(changes).map(([name, value]) => texts.change(step, labelOf(asked, name), valueText(name, value))),
    );
    told.push(...(changes.length > 0 ? changes : [texts.noChange]));
  }
  return [
    ...told,
    ...changedValues(asked, played).map((name) => texts.value(labelOf(asked, name), askedText(asked, name))),
  ];
}

/** Whether a name is that of a preset. */
export function findPreset(name: string): Preset | undefined {
  return PRESETS.find((preset) => preset.name === name);
}

/** Keys of an address that say nothing of the run. */
const OF_THE_PAGE = ['v', 'embed', 'panels', 'recorded'];

/** Whether an address asks for a run at all. */
export function asksForRun(search: string): boolean {
  return [...new URLSearchParams(search).keys()].some((key) => !OF_THE_PAGE.includes(key));
}

function tablesOf({ environment }: RunConfiguration): readonly Parameter[] {
  const { settings, controls } = tablesFor(environment);
  return [...settings, ...controls.filter(({ name }) => name !== 'rule')];
}

function changedValues(asked: RunConfiguration, played: RunConfiguration): readonly string[] {
  const of = ({ settings, controls }: RunConfiguration): ParameterValues => ({ ...settings, ...controls });
  const [wanted, given] = [of(asked), of(played)];
  return tablesOf(asked).flatMap(({ name }) => (wanted[name] === given[name] ? [] : [name]));
}

function scheduleText({ schedule }: RunConfiguration): string {
  return JSON.stringify(schedule.map(({ step, changes }) => [step, Object.entries(changes).sort()]));
}

function labelOf(asked: RunConfiguration, name: string): string {
  const { controls, settings } = tablesFor(asked.environment);
  return [...settings, ...controls].find((parameter) => parameter.name === name)?.label ?? name;
}

function askedText({ settings, controls }: RunConfiguration, name: string): string {
  return valueText(name, settings[name] ?? controls[name] ?? '');
}

function valueText(name: string, value: number | string): string {
  return name === 'rule' ? ruleTitle(String(value)) : String(value);
}
