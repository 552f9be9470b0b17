import {
  clampParameter,
  type Parameter,
  type ParameterTable,
  type ParameterValue,
} from '../../parameters/parameters.ts';
import {
  CONFIGURATION_VERSION,
  DEFAULT_ENVIRONMENT,
  ENVIRONMENT_NAMES,
  type EnvironmentName,
  type RunConfiguration,
  type ScheduledChange,
} from '../../training/data/configuration.ts';
import { findWorld, openingRun, standardRun, worldOf, worldsOf } from '../../training/data/worlds.ts';
import { strings } from '../strings/strings.ts';
import { defaultConfiguration, type Tables, tablesFor } from './pageTables.ts';
import { PANELS, type Panel } from './panels.ts';

/** What a link says about the page itself, apart from the run. */
export interface View {
  /** Shown inside another page: no introduction, no footer. */
  readonly embed: boolean;
  /** Panels to show; all when empty. */
  readonly panels: readonly Panel[];
  /** Plays the recorded run although the device could train. */
  readonly recorded: boolean;
}

/** What a URL was understood to mean. */
export interface UrlReading {
  readonly configuration: RunConfiguration;
  readonly view: View;
  /** For people: each thing in the URL that was ignored or changed, by the name of its key. */
  readonly notices: readonly string[];
}

export const DEFAULT_VIEW: View = { embed: false, panels: [], recorded: false };

/** Longest schedule that is read from a URL; more is surely not meant. */
export const MAX_SCHEDULE = 200;
const MAX_STEP = 1_000_000;
/** Longest list of notices; nobody reads more. */
const MAX_NOTICES = 8;

/**
 * Reads the query part of a URL. Never throws: what it does not understand is left out and named in a notice, values
 * out of range are clamped and named.
 * @param search the query with or without its question mark, `?v=1&rule=grpo-or&at=60:rule=mt-grpo`; parameters are those of its
 *   `environment`, search without one
 */
export function readUrl(search: string): UrlReading {
  const params = new URLSearchParams(search);
  const notices: string[] = [];
  const environment = readEnvironment(params.get('environment'), notices);
  const tables = tablesFor(environment);
  const version = params.get('v');
  const base = readWorld(environment, params.get('world'), version, notices);
  if (version !== null && version !== String(CONFIGURATION_VERSION)) {
    const told = [strings.url.version(version, CONFIGURATION_VERSION)];
    return { configuration: openingRun(environment), view: DEFAULT_VIEW, notices: told };
  }

  const settings = { ...base.settings };
  const controls = { ...base.controls };
  const schedule: ScheduledChange[] = [];
  let seed = base.seed;
  let view = DEFAULT_VIEW;
  const seen = new Set<string>();
  for (const [key, text] of params) {
    if (key === 'at') {
      schedule.push(...readSchedule(text, tables, notices));
      continue;
    }
    if (seen.has(key)) {
      notices.push(strings.url.repeated(key));
      continue;
    }
    seen.add(key);
    const setting = find(tables.settings, key);
    const control = find(tables.controls, key);
    if (key === 'v' || key === 'environment' || key === 'world') continue;
    else if (key === 'seed') seed = Number(readValue(tables.seed, text, key, notices));
    else if (setting) settings[key] = readValue(setting, text, key, notices);
    else if (control) controls[key] = readValue(control, text, key, notices);
    else if (key === 'embed') view = { ...view, embed: readFlag(text) };
    else if (key === 'recorded') view = { ...view, recorded: readFlag(text) };
    else if (key === 'panels') view = { ...view, panels: readPanels(text, notices) };
    else notices.push(strings.url.unknownKey(key));
  }
  // First, so that no other notice can push it out.
  if (schedule.length > MAX_SCHEDULE) notices.unshift(strings.url.longSchedule(MAX_SCHEDULE));
  const ordered = mergeSchedule(schedule.slice(0, MAX_SCHEDULE));
  return { configuration: { ...base, settings, seed, controls, schedule: ordered }, view, notices: briefly(notices) };
}

/**
 * Writes a configuration as a query, `?v=1&...`, with only what differs from the defaults; always in the same order,
 * so that equal configurations give equal text.
 */
export function writeUrl(configuration: RunConfiguration, view: View): string {
  const { environment } = configuration;
  const tables = tablesFor(environment);
  const world = worldOf(configuration);
  const base = standardRun(environment, world);
  const parts = [`v=${CONFIGURATION_VERSION}`];
  const write = (key: string, value: ParameterValue) => parts.push(`${key}=${encode(String(value))}`);
  const differing = (
    table: ParameterTable,
    values: RunConfiguration['controls'],
    usual: RunConfiguration['controls'],
  ) => {
    for (const { name } of table) {
      const value = values[name];
      if (value !== undefined && value !== usual[name]) write(name, value);
    }
  };
  if (environment !== DEFAULT_ENVIRONMENT) write('environment', environment);
  // A link that names no world is of the plain one.
  if (world && Object.keys(world.settings).length > 0) write('world', world.name);
  if (configuration.controls.rule !== undefined) write('rule', configuration.controls.rule);
  write('seed', configuration.seed);
  differing(tables.settings, configuration.settings, base.settings);
  const others = tables.controls.filter((parameter) => parameter.name !== 'rule');
  differing(others, configuration.controls, base.controls);
  if (configuration.schedule.length) write('at', configuration.schedule.map(writeChange).join(';'));
  if (view.embed) write('embed', 1);
  if (view.panels.length) write('panels', view.panels.join(','));
  if (view.recorded) write('recorded', 1);
  return `?${parts.join('&')}`;
}

/** Joins entries of the same step, later ones winning, in the order of their steps. */
export function mergeSchedule(schedule: readonly ScheduledChange[]): ScheduledChange[] {
  const bySteps = new Map<number, Record<string, ParameterValue>>();
  for (const { step, changes } of schedule) bySteps.set(step, { ...bySteps.get(step), ...changes });
  return [...bySteps].sort(([a], [b]) => a - b).map(([step, changes]) => ({ step, changes }));
}

function find(table: ParameterTable, name: string): Parameter | undefined {
  return table.find((parameter) => parameter.name === name);
}

function readEnvironment(text: string | null, notices: string[]): EnvironmentName {
  const known = ENVIRONMENT_NAMES.find((name) => name === text);
  if (text !== null && !known)
    notices.push(strings.url.unknownEnvironment(shorten(text), ENVIRONMENT_NAMES.join(', ')));
  return known ?? DEFAULT_ENVIRONMENT;
}

/**
 * What an address begins with: the named world, or else what the page opens with. A link of the time before worlds had
 * names, which has a version, is in the plain one.
 */
function readWorld(
  environment: EnvironmentName,
  text: string | null,
  version: string | null,
  notices: string[],
): RunConfiguration {
  if (text === null) return version === null ? openingRun(environment) : defaultConfiguration(environment);
  const world = findWorld(environment, text);
  if (world) return standardRun(environment, world);
  const known = worldsOf(environment)
    .map(({ name }) => name)
    .join(', ');
  notices.push(known ? strings.url.unknownWorld(shorten(text), known) : strings.url.unknownKey('world'));
  return openingRun(environment);
}

/** `60:rule=grpo-or,klCoef=0.05;90:rule=mt-grpo` */
function readSchedule(text: string, tables: Tables, notices: string[]): ScheduledChange[] {
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

function writeChange({ step, changes }: ScheduledChange): string {
  const pairs = Object.entries(changes).map(([name, value]) => `${name}=${value}`);
  return `${step}:${pairs.join(',')}`;
}

function readValue(parameter: Parameter, text: string, key: string, notices: string[]): ParameterValue {
  const value = clampParameter(parameter, text);
  const same = parameter.kind === 'number' ? text.trim() !== '' && Number(text) === value : value === text;
  if (!same) notices.push(strings.url.clamped(key, shorten(text), String(value), parameter));
  return value;
}

function readPanels(text: string, notices: string[]): Panel[] {
  const names = text.split(',').filter(Boolean);
  for (const name of names) {
    if (!PANELS.includes(name as Panel)) notices.push(strings.url.unknownPanel(shorten(name), PANELS.join(', ')));
  }
  return PANELS.filter((panel) => names.includes(panel));
}

function readFlag(text: string): boolean {
  return text !== '0' && text !== 'false';
}

/** The first notices, and how many more there would be. */
function briefly(notices: readonly string[]): readonly string[] {
  if (notices.length <= MAX_NOTICES) return notices;
  const first = notices.slice(0, MAX_NOTICES - 1);
  return [...first, strings.url.more(notices.length - first.length)];
}

/** Foreign text is shown in notices: keep it short. */
function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** Percent-encodes what a query must, and keeps the separators of schedules readable. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/%(3A|3B|3D|2C)/g, (code) => decodeURIComponent(code));
}
