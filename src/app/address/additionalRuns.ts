import type { ParameterValue } from '../../parameters/parameters.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { MAX_LANES } from '../../training/data/protocol.ts';
import { strings } from '../strings/strings.ts';
import type { Tables } from './pageTables.ts';
import {
  find,
  linkValue,
  normalizeSchedule,
  readEngine,
  readSchedule,
  readValue,
  shorten,
  writeChange,
} from './urlParts.ts';

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
