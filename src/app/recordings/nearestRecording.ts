import type { Parameter, ParameterValues } from '../../parameters/parameters.ts';
import type { EnvironmentName, RunConfiguration } from '../../training/data/configuration.ts';
import { type Preset, presetRun, presetsOf } from '../../training/data/presets.ts';
import { comparedIn, RECORDED, type Recorded, recordedAlone, runsOf } from '../../training/data/recorded.ts';
import { openingRun } from '../../training/data/worlds.ts';
import { ruleTitle, tablesFor } from '../address/pageTables.ts';
import { strings } from '../strings/strings.ts';

/** What plays where nothing in particular was asked for: two rules side by side, one that keeps the tool and one that does not. */
export const FIRST_RECORDING = 'mt-grpo-grpo-or';

/** How much less near a recording is for another rule, another schedule, any other value, and a run that is not asked for. */
const COSTS = { rule: 100, schedule: 10, value: 1, more: 1 } as const;

/** The runs of a link, or of a recording: the first one, and those beside it. */
export type RunsTogether = readonly [RunConfiguration, ...RunConfiguration[]];

/**
 * The recording that comes nearest to what is asked for. Of several runs it is one that has them all, by world, rule
 * and schedule, if there is one. Else, and of one run, it is the preset nearest to the first: of its environment, of its rule
 * if there is one, and else the standard run.
 */
export function nearestRecording(asked: RunsTogether): Recorded {
  const [first] = asked;
  const together = asked.length > 1 ? comparedIn(first.environment) : [];
  const fitting = together.filter((recorded) => !pairing(asked, runsOf(recorded)).includes(undefined));
  const [one, ...more] = fitting;
  if (one) return nearest(one, more, (recorded) => distanceTogether(asked, runsOf(recorded)));
  const standard = standardPreset(first.environment);
  const others = presetsOf(first.environment).filter((preset) => preset !== standard);
  return recordedAlone(nearest(standard, others, (preset) => distance(first, presetRun(preset))));
}

/** The recording of the standard run of an environment. */
export function recordingOfEnvironment(environment: EnvironmentName): Recorded {
  return recordedAlone(standardPreset(environment));
}

function standardPreset(environment: EnvironmentName): Preset {
  const asked = openingRun(environment);
  const presets = presetsOf(environment);
  return presets.find((preset) => distance(asked, presetRun(preset)) === 0) ?? (presets[0] as Preset);
}

/**
 * Which run of a recording is which of those that are asked for: its place, undefined where it has none of that world,
 * rule and schedule that is not another's already. A lone run is any lone run.
 */
export function pairing(asked: RunsTogether, played: RunsTogether): readonly (number | undefined)[] {
  if (played.length === 1) return asked.map((_, index) => (index === 0 ? 0 : undefined));
  const taken = new Set<number>();
  return asked.map((run) => {
    const fits = [...played.keys()].filter((place) => !taken.has(place) && sameCourse(run, played[place]));
    const [first, ...others] = fits;
    if (first === undefined) return undefined;
    const place = nearest(first, others, (at) => distance(run, played[at] as RunConfiguration));
    taken.add(place);
    return place;
  });
}

function sameCourse(asked: RunConfiguration, played: RunConfiguration | undefined): boolean {
  if (!played || scheduleText(asked) !== scheduleText(played)) return false;
  const world = ({ settings }: RunConfiguration) => JSON.stringify(Object.entries(settings).sort());
  return asked.controls.rule === played.controls.rule && world(asked) === world(played);
}

function nearest<Item>(first: Item, others: readonly Item[], far: (item: Item) => number): Item {
  return others.reduce((best, one) => (far(one) < far(best) ? one : best), first);
}

function distanceTogether(asked: RunsTogether, played: RunsTogether): number {
  const own = pairing(asked, played).map((place, index) =>
    distance(asked[index] as RunConfiguration, played[place ?? 0] as RunConfiguration),
  );
  return own.reduce((sum, far) => sum + far, COSTS.more * (played.length - asked.length));
}

function distance(asked: RunConfiguration, played: RunConfiguration): number {
  const rule = asked.controls.rule === played.controls.rule ? 0 : COSTS.rule;
  const schedule = scheduleText(asked) === scheduleText(played) ? 0 : COSTS.schedule;
  const seed = asked.seed === played.seed ? 0 : COSTS.value;
  return rule + schedule + seed + COSTS.value * changedValues(asked, played).length;
}

/**
 * What was asked for and is not played, in words; empty where the recording has the runs. What all of several runs lack is
 * said once.
 */
export function notPlayed(asked: RunsTogether, played: RunsTogether): readonly string[] {
  const texts = strings.recording.differences;
  const places = pairing(asked, played);
  const lists = asked.map((run, index) => {
    const other = played[places[index] ?? -1];
    return other && differences(run, other);
  });
  const [first = []] = lists;
  const common = first.filter((text) => lists.every((list) => list === undefined || list.includes(text)));
  const own = asked.flatMap((run, index) => {
    const list = lists[index]?.filter((text) => !common.includes(text));
    if (list) return asked.length > 1 ? list.map((text) => texts.ofRun(index + 1, text)) : list;
    return [texts.run(index + 1, differences(run, asked[0]))];
  });
  return [...common, ...own];
}

/** What a run has otherwise than another, in words. */
function differences(asked: RunConfiguration, played: RunConfiguration): readonly string[] {
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

/** The recording of a name. */
export function findRecording(name: string): Recorded | undefined {
  return RECORDED.find((recorded) => recorded.name === name);
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
