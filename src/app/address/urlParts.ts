import { formatCustomRuleId, isCustomRule } from '../../credit/rules/custom/customRule.ts';
import {
  clampParameter,
  type Parameter,
  type ParameterTable,
  type ParameterValue,
} from '../../parameters/parameters.ts';
import {
  type EngineName,
  type RunConfiguration,
  readEngineName,
  type ScheduledChange,
} from '../../training/data/configuration.ts';
import { MAX_LANES } from '../../training/data/protocol.ts';
import { strings } from '../strings/strings.ts';
import type { Tables } from './pageTables.ts';

/** Maximum number of scheduled changes in a URL. Additional changes are ignored. */
export const MAX_SCHEDULE = 200;
const MAX_STEP = 1_000_000;

/** Limits the length of a schedule and sorts it by step. @param key key of the address, for the notice if it is cut */
export function normalizeSchedule(
  schedule: readonly ScheduledChange[],
  key: string,
  notices: string[],
): ScheduledChange[] {
  const long = strings.url.longSchedule(key, MAX_SCHEDULE);
  // This notice comes first, because the list of notices is limited.
  if (schedule.length > MAX_SCHEDULE && !notices.includes(long)) notices.unshift(long);
  return mergeSchedule(schedule.slice(0, MAX_SCHEDULE));
}

/** Merges entries of the same step and sorts them by step. Later values of a control replace earlier ones. */
export function mergeSchedule(schedule: readonly ScheduledChange[]): ScheduledChange[] {
  const bySteps = new Map<number, Record<string, ParameterValue>>();
  for (const { step, changes } of schedule) bySteps.set(step, { ...bySteps.get(step), ...changes });
  return [...bySteps].sort(([a], [b]) => a - b).map(([step, changes]) => ({ step, changes }));
}

export function find(table: ParameterTable, name: string): Parameter | undefined {
  return table.find((parameter) => parameter.name === name);
}

/** Reads a schedule, for example `60:rule=grpo-or,klCoef=0.05;90:rule=mt-grpo`. Invalid entries are reported. */
export function readSchedule(text: string, tables: Tables, notices: string[]): ScheduledChange[] {
  const schedule: ScheduledChange[] = [];
  for (const entry of text.split(';').filter(Boolean)) {
    const match = /^(\d{1,9}):(.+)$/.exec(entry);
    const step = match ? Number(match[1]) : Number.NaN;
    if (!match || step > MAX_STEP) {
      notices.push(strings.url.badEntry(shorten(entry)));
      continue;
    }
    const changes: Record<string, ParameterValue> = {};
    for (const pair of (match[2] ?? '').split(',')) {
      const [name = '', ...rest] = pair.split('=');
      const parameter = find(tables.controls, name);
      if (parameter) changes[name] = readValue(parameter, rest.join('='), `at ${step}: ${name}`, notices);
      else notices.push(strings.url.unknownChange(shorten(name), step));
    }
    if (Object.keys(changes).length) schedule.push({ step, changes });
  }
  return schedule;
}

export function writeChange({ step, changes }: ScheduledChange): string {
  const pairs = Object.entries(changes).map(([name, value]) => `${name}=${linkValue(value)}`);
  return `${step}:${pairs.join(',')}`;
}

export function readValue(parameter: Parameter, text: string, key: string, notices: string[]): ParameterValue {
  const value = clampParameter(parameter, text);
  const same = parameter.kind === 'number' ? text.trim() !== '' && Number(text) === value : value === text;
  if (!same) notices.push(strings.url.clamped(key, shorten(text), String(value), parameter));
  return value;
}

/** Reads the engine of a link. Returns undefined and adds a notice if the name is unknown. */
export function readEngine(text: string, key: string, notices: string[]): EngineName | undefined {
  const engine = readEngineName(text);
  if (!engine) notices.push(strings.url.unknownEngine(key, shorten(text)));
  return engine;
}

/** Returns the value for a link. A custom rule is only an id, because opening a link must not execute code. */
export function linkValue(value: ParameterValue): ParameterValue {
  return isCustomRule(value) ? formatCustomRuleId(value) : value;
}

/** Shortens text of a URL for a notice. */
export function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** Percent-encodes text for a query, except for the separators of schedules, which stay readable. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(/%(3A|3B|3D|2C)/g, (code) => decodeURIComponent(code));
}

// In the address, each additional run is listed by its differences from the first run:
// `runs=rule=grpo-or|seed=2&at=40:rule=rtmc`.

const BETWEEN = '|';

/** Writes additional runs as differences from the first run: seed, engine, controls and schedule. */
export function writeAdditionalRuns(first: RunConfiguration, additional: readonly RunConfiguration[]): string {
  return additional.map((run) => writeRun(first, run)).join(BETWEEN);
}

function writeRun(first: RunConfiguration, { engine, seed, controls, schedule }: RunConfiguration): string {
  const parts = Object.entries(controls).flatMap(([name, value]) =>
    value === first.controls[name] ? [] : [`${name}=${linkValue(value)}`],
  );
  if (seed !== first.seed) parts.push(`seed=${seed}`);
  if (engine !== undefined && engine !== first.engine) parts.push(`engine=${engine}`);
  const at = schedule.map(writeChange).join(';');
  if (at !== first.schedule.map(writeChange).join(';')) parts.push(`at=${at}`);
  return parts.join('&');
}

/** Reads the additional runs. Unknown entries are ignored and reported in `notices`. */
export function readAdditionalRuns(
  text: string | null,
  first: RunConfiguration,
  tables: Tables,
  notices: string[],
): readonly RunConfiguration[] {
  if (text === null) return [];
  const entries = text.split(BETWEEN);
  if (entries.length >= MAX_LANES) notices.push(strings.url.manyRuns(MAX_LANES));
  return entries.slice(0, MAX_LANES - 1).map((entry) => readRun(entry, first, tables, notices));
}

function readRun(entry: string, first: RunConfiguration, tables: Tables, notices: string[]): RunConfiguration {
  const controls: Record<string, ParameterValue> = { ...first.controls };
  let { engine, seed, schedule } = first;
  for (const [key, text] of new URLSearchParams(entry)) {
    const control = find(tables.controls, key);
    const named = `runs: ${key}`;
    if (key === 'seed') seed = Number(readValue(tables.seed, text, named, notices));
    else if (key === 'engine') engine = readEngine(text, named, notices);
    else if (key === 'at') schedule = normalizeSchedule(readSchedule(text, tables, notices), named, notices);
    else if (control) controls[key] = readValue(control, text, named, notices);
    else notices.push(strings.url.unknownKey(`runs: ${shorten(key)}`));
  }
  return { ...first, ...(engine === undefined ? {} : { engine }), seed, controls, schedule };
}
