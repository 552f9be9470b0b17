import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { ParameterTable, ParameterValue } from '../../parameters/parameters.ts';
import {
  CONFIGURATION_VERSION,
  DEFAULT_ENVIRONMENT,
  ENVIRONMENT_NAMES,
  type EnvironmentName,
  type RunConfiguration,
  type ScheduledChange,
} from '../../training/data/configuration.ts';
import type { RunEvent, SavedRun } from '../../training/data/protocol.ts';
import { findWorld, openingRun, standardRun, worldOf, worldsOf } from '../../training/data/worlds.ts';
import { strings } from '../strings/strings.ts';
import { defaultConfiguration, tablesFor } from './pageTables.ts';
import {
  encode,
  find,
  linkValue,
  mergeSchedule,
  normalizeSchedule,
  readAdditionalRuns,
  readEngine,
  readSchedule,
  readValue,
  shorten,
  writeAdditionalRuns,
  writeChange,
} from './urlParts.ts';
import { PANELS, type Panel } from './viewAddress.ts';

/**
 * Returns a configuration that reproduces a run including an event. A change by the user becomes a scheduled change at
 * the same step. A change at step 0 becomes part of the initial controls. A control with its previous value is not
 * scheduled.
 */
export function withChange(configuration: RunConfiguration, event: RunEvent): RunConfiguration {
  const { step, kind, changes } = event;
  if (kind === 'unplanned') return { ...configuration, schedule: until(configuration.schedule, step) };
  if (kind !== 'change') return configuration;
  if (step === 0) {
    const controls = { ...configuration.controls, ...changes };
    return { ...configuration, controls, schedule: without(configuration.schedule, 0, Object.keys(changes)) };
  }
  const before = controlsAt(configuration, step - 1);
  const merged = mergeSchedule([...configuration.schedule, { step, changes }]);
  const unchanged = Object.keys(changes).filter((name) => changes[name] === before[name]);
  return { ...configuration, schedule: without(merged, step, unchanged) };
}

function until(schedule: RunConfiguration['schedule'], last: number): RunConfiguration['schedule'] {
  return schedule.filter(({ step }) => step <= last);
}

/** Removes some controls from the schedule entry at a step. */
function without(
  schedule: RunConfiguration['schedule'],
  at: number,
  names: readonly string[],
): RunConfiguration['schedule'] {
  if (names.length === 0) return schedule;
  return schedule.flatMap((entry) => {
    if (entry.step !== at) return [entry];
    const left = Object.entries(entry.changes).filter(([name]) => !names.includes(name));
    return left.length === 0 ? [] : [{ step: at, changes: Object.fromEntries(left) }];
  });
}

/** Returns the configuration that reproduces a saved run from step 0. */
export function linkOf({ configuration, events }: SavedRun): RunConfiguration {
  return events.reduce(withChange, configuration);
}

/**
 * Returns the controls of a configuration at the beginning of update `step`, including scheduled changes.
 */
export function controlsAt(configuration: RunConfiguration, step: number): RunConfiguration['controls'] {
  const past = configuration.schedule.filter((entry) => entry.step <= step);
  return Object.assign({}, configuration.controls, ...past.map((entry) => entry.changes));
}

/**
 * Returns the configuration for a restart with the user's changes. Scheduled changes are reverted, because the schedule
 * repeats them.
 * @param controls present values
 * @param scheduled schedule of the run at its start
 */
export function restarted(
  configuration: RunConfiguration,
  controls: RunConfiguration['controls'],
  events: readonly RunEvent[],
  scheduled: RunConfiguration['schedule'],
): RunConfiguration {
  const initial: Record<string, number | string> = { ...controls };
  for (const name of new Set(scheduled.flatMap((entry) => Object.keys(entry.changes)))) {
    const setBy = events.findLast((event) => name in event.changes);
    const first = configuration.controls[name];
    if (setBy?.kind === 'schedule' && first !== undefined) initial[name] = first;
  }
  return { ...configuration, controls: initial, schedule: scheduled };
}

/** Part of a link that configures the page, not the run. */
export interface View {
  /** True if the page is embedded in another page: no introduction, no footer. */
  readonly embed: boolean;
  /** Panels to show; empty for the default panels. */
  readonly panels: readonly Panel[];
}

/** Result of reading a URL. */
export interface UrlReading {
  readonly configuration: RunConfiguration;
  /** Additional runs. */
  readonly additionalRuns: readonly RunConfiguration[];
  readonly view: View;
  /** Messages for the user about each key of the URL that was ignored or changed. */
  readonly notices: readonly string[];
}

export const DEFAULT_VIEW: View = { embed: false, panels: [] };

/** Maximum number of notices, to keep the list readable. */
const MAX_NOTICES = 8;

/**
 * Reads the query part of a URL. Never throws: unknown keys are ignored, and values out of range are clamped. A notice
 * reports each of them.
 * @param search query with or without a question mark, `?v=1&rule=grpo-or&at=60:rule=mt-grpo`. The key `environment`
 *   determines its parameters; the default is the Search environment
 */
export function readUrl(search: string): UrlReading {
  const params = new URLSearchParams(search);
  const notices: string[] = [];
  const environment = readEnvironment(params.get('environment'), notices);
  const tables = tablesFor(environment);
  const version = params.get('v');
  const base = readWorld(environment, params.get('world'), version, notices);
  if (version !== null && version !== String(CONFIGURATION_VERSION)) {
    const messages = [strings.url.version(version, CONFIGURATION_VERSION)];
    return { configuration: openingRun(environment), additionalRuns: [], view: DEFAULT_VIEW, notices: messages };
  }

  const settings = { ...base.settings };
  const controls = { ...base.controls };
  const schedule: ScheduledChange[] = [];
  let { seed, engine } = base;
  let view = DEFAULT_VIEW;
  const usedKeys = new Set<string>();
  for (const [key, text] of params) {
    if (key === 'at') {
      schedule.push(...readSchedule(text, tables, notices));
      continue;
    }
    if (usedKeys.has(key)) {
      notices.push(strings.url.repeated(key));
      continue;
    }
    usedKeys.add(key);
    const setting = find(tables.settings, key);
    const control = find(tables.controls, key);
    if (key === 'v' || key === 'environment' || key === 'world' || key === 'runs') continue;
    else if (key === 'seed') seed = Number(readValue(tables.seed, text, key, notices));
    else if (key === 'engine') engine = readEngine(text, key, notices);
    else if (setting) settings[key] = readValue(setting, text, key, notices);
    else if (control) controls[key] = readValue(control, text, key, notices);
    else if (key === 'embed') view = { ...view, embed: readFlag(text) };
    else if (key === 'panels') view = { ...view, panels: readPanels(text, notices) };
    else notices.push(strings.url.unknownKey(key));
  }
  const run = { ...base, settings, seed, controls, schedule: normalizeSchedule(schedule, 'at', notices) };
  const configuration = engine === undefined ? run : { ...run, engine };
  const additionalRuns = readAdditionalRuns(params.get('runs'), configuration, tables, notices);
  return { configuration, additionalRuns, view, notices: briefly(notices) };
}

/**
 * Writes a configuration as a query, `?v=1&...`, with only the values that differ from the defaults. The order of keys
 * is fixed, so that equal configurations have equal queries.
 * @param additional additional runs
 */
export function writeUrl(
  configuration: RunConfiguration,
  view: View,
  additional: readonly RunConfiguration[] = [],
): string {
  const { environment } = configuration;
  const tables = tablesFor(environment);
  const world = worldOf(configuration);
  const base = standardRun(environment, world);
  const parts = [`v=${CONFIGURATION_VERSION}`];
  const write = (key: string, value: ParameterValue) => parts.push(`${key}=${encode(String(linkValue(value)))}`);
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
  // A link without a world refers to the plain world.
  if (world && Object.keys(world.settings).length > 0) write('world', world.name);
  if (configuration.controls.rule !== undefined) write('rule', configuration.controls.rule);
  write('seed', configuration.seed);
  if (configuration.engine !== undefined) parts.push(`engine=${configuration.engine}`);
  differing(tables.settings, configuration.settings, base.settings);
  const remaining = tables.controls.filter((parameter) => parameter.name !== 'rule');
  differing(remaining, configuration.controls, base.controls);
  if (configuration.schedule.length) write('at', configuration.schedule.map(writeChange).join(';'));
  if (additional.length) write('runs', writeAdditionalRuns(configuration, additional));
  if (view.embed) write('embed', 1);
  if (view.panels.length) write('panels', view.panels.join(','));
  return `?${parts.join('&')}`;
}

function readEnvironment(text: string | null, notices: string[]): EnvironmentName {
  const known = ENVIRONMENT_NAMES.find((name) => name === text);
  if (text !== null && !known)
    notices.push(strings.url.unknownEnvironment(shorten(text), ENVIRONMENT_NAMES.join(', ')));
  return known ?? DEFAULT_ENVIRONMENT;
}

/**
 * Returns the base configuration of an address: the standard run of the named world, or the opening run of the page. A
 * link with a version but no world uses the plain world, because older links have no world.
 */
function readWorld(
  environment: EnvironmentName,
  text: string | null,
  version: string | null,
  notices: string[],
): RunConfiguration {
  if (text === null) return version === null ? visitedRun(environment) : defaultConfiguration(environment);
  const world = findWorld(environment, text);
  if (world) return standardRun(environment, world);
  const known = worldsOf(environment)
    .map(({ name }) => name)
    .join(', ');
  notices.push(known ? strings.url.unknownWorld(shorten(text), known) : strings.url.unknownKey('world'));
  return openingRun(environment);
}

/** Returns the run for an address without a query. */
function visitedRun(environment: EnvironmentName): RunConfiguration {
  const run = openingRun(environment);
  return { ...run, seed: ENVIRONMENTS[environment].openingSeed ?? run.seed };
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

/** Returns the first notices, and the number of omitted notices. */
function briefly(notices: readonly string[]): readonly string[] {
  if (notices.length <= MAX_NOTICES) return notices;
  const first = notices.slice(0, MAX_NOTICES - 1);
  return [...first, strings.url.more(notices.length - first.length)];
}
