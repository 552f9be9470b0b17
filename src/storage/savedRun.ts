import { type Fields, isObject, MetricError, readMetrics, show } from '../metrics/metricTable.ts';
import { ParameterError, type ParameterTable, type ParameterValue, parseParameters } from '../parameters/parameters.ts';
import { CONFIGURATION_VERSION, type RunConfiguration } from '../training/data/configuration.ts';
import { checkConfiguration, environmentName, tablesOf } from '../training/data/configurationTables.ts';
import type { DownsampledUpdates, Metrics, RunEvent, SavedRun } from '../training/data/protocol.ts';
import { StorageError } from './runStore.ts';

const EVENT_KINDS: Readonly<Record<RunEvent['kind'], true>> = {
  change: true,
  schedule: true,
  unplanned: true,
  engine: true,
  digest: true,
  recovered: true,
  stopped: true,
};

/** Length of a curve, and the updates that it omits. */
interface CurveLength {
  /** Number of finished updates of the run. */
  readonly step: number;
  readonly downsampled?: DownsampledUpdates | undefined;
}

/**
 * Checks that a value from a file is a complete run, except for the content of its checkpoint. Parameters are converted
 * to their stored form. Numbers that are not finite become null, as in a file.
 * @throws {StorageError} 'corrupt' with the field
 */
export function checkSavedRun(value: unknown): SavedRun {
  const run = checkState(value);
  const { metrics: rows } = value as Fields;
  const metrics = readRows(rows, 'metrics');
  checkCurve(metrics, run);
  return { ...run, metrics };
}

/**
 * Checks a run without its metrics, which storage has in pages.
 * @throws {StorageError} 'corrupt' with the field
 */
export function checkState(value: unknown): Omit<SavedRun, 'metrics'> {
  const run = expectObject(value, 'the run');
  const configuration = readConfiguration(run.configuration);
  if (!isCount(run.step)) throw corrupt(`step is ${show(run.step)}, not a whole number from 0`);
  const events = readEvents(run.events, configuration);
  const { checkpoint } = run;
  if (!(checkpoint instanceof ArrayBuffer) || checkpoint.byteLength < 8) {
    throw corrupt('checkpoint is missing or empty');
  }
  const downsampled = readDownsampled(run.downsampled, run.step);
  return { configuration, step: run.step, checkpoint, events, ...(downsampled ? { downsampled } : {}) };
}

/**
 * Checks each update of a list separately.
 * @throws {StorageError} 'corrupt' with the field
 */
export function readRows(value: unknown, name: string): Metrics[] {
  const entries = expectEntries(value, name);
  try {
    return entries.map((entry, index) => readMetrics(entry, () => `${name}[${index}]`));
  } catch (error) {
    if (!(error instanceof MetricError)) throw error;
    throw corrupt(error.message);
  }
}

/**
 * Checks that a list has all finished updates of a run, or the part that a downsampled curve declares.
 * @throws {StorageError} 'corrupt' with the first update that is missing or unexpected
 */
export function checkCurve(rows: readonly Metrics[], { step, downsampled }: CurveLength): void {
  let next = 0;
  for (const [index, row] of rows.entries()) {
    if (row.step >= step) throw corrupt(`metrics[${index}] is update ${row.step}, and the run has ${step} behind it`);
    if (row.step < next || !mayLack(next, row.step, downsampled)) {
      throw corrupt(`metrics[${index}].step is ${row.step}, where update ${next} is expected`);
    }
    next = row.step + 1;
  }
  if (!mayLack(next, step, downsampled))
    throw corrupt(`metrics end before update ${next}, and the run has ${step} behind it`);
}

/** Returns true if a list has all finished updates of a run, or the part that a downsampled curve declares. */
export function isCurveOf(rows: readonly Metrics[], length: CurveLength): boolean {
  try {
    checkCurve(rows, length);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns true if a curve may omit the updates `from` to `to` - 1. It may omit no update from `before` on, and no
 * complete stretch of `every` steps.
 */
function mayLack(from: number, to: number, downsampled: DownsampledUpdates | undefined): boolean {
  if (from === to) return true;
  if (!downsampled || to > downsampled.before) return false;
  const { every } = downsampled;
  return every * Math.ceil(from / every) + every > to;
}

function readDownsampled(value: unknown, step: number): DownsampledUpdates | undefined {
  if (value === undefined) return undefined;
  const { every, before } = expectObject(value, 'downsampled');
  if (!isCount(every) || every < 2) throw corrupt(`downsampled.every is ${show(every)}, not a whole number from 2`);
  if (!isCount(before) || before > step) throw corrupt(`downsampled.before is ${show(before)}, no step of the run`);
  return { every, before };
}

/**
 * Checks the configuration of a run.
 * @throws {StorageError} 'corrupt' with the field
 */
export function readConfiguration(value: unknown): RunConfiguration {
  const configuration = expectObject(value, 'configuration');
  if (configuration.version !== CONFIGURATION_VERSION) {
    throw corrupt(`configuration.version is ${show(configuration.version)}, this page reads ${CONFIGURATION_VERSION}`);
  }
  const environment = named('configuration', () => environmentName(configuration.environment));
  expectObject(configuration.settings, 'configuration.settings');
  expectObject(configuration.controls, 'configuration.controls');
  if (!isCount(configuration.seed)) throw corrupt(`configuration.seed is ${show(configuration.seed)}`);
  for (const [index, { changes }] of expectEntries(configuration.schedule, 'configuration.schedule').entries()) {
    readChanges(changes, `configuration.schedule[${index}].changes`, tablesOf(environment).controls);
  }
  return named('configuration', () => checkConfiguration(configuration as unknown as RunConfiguration));
}

/**
 * Checks the events of a run.
 * @throws {StorageError} 'corrupt' with the field
 */
function readEvents(value: unknown, { environment }: RunConfiguration): RunEvent[] {
  const { controls } = tablesOf(environment);
  return expectEntries(value, 'events').map((entry, index) => readEvent(entry, `events[${index}]`, controls));
}

function readEvent(entry: Fields, name: string, controls: ParameterTable): RunEvent {
  const { kind, text, changes } = entry;
  if (typeof kind !== 'string' || !Object.hasOwn(EVENT_KINDS, kind)) throw corrupt(`${name}.kind is ${show(kind)}`);
  if (typeof text !== 'string') throw corrupt(`${name}.text is ${show(text)}, not a text`);
  return { ...entry, changes: readChanges(changes, `${name}.changes`, controls) } as RunEvent;
}

function readChanges(value: unknown, name: string, controls: ParameterTable): Readonly<Record<string, ParameterValue>> {
  const changes = expectObject(value, name);
  return named(name, () => parseParameters(controls, changes));
}

/**
 * Checks that each entry of a list is an object with a step.
 * @throws {StorageError} 'corrupt' with the entry
 */
function expectEntries(value: unknown, name: string): Fields[] {
  if (!Array.isArray(value)) throw corrupt(`${name} is not a list`);
  return value.map((entry: unknown, index) => {
    if (!isObject(entry)) throw corrupt(`${name}[${index}] is not an object`);
    if (!isCount(entry.step)) throw corrupt(`${name}[${index}].step is ${show(entry.step)}`);
    return entry;
  });
}

/**
 * Returns an object.
 * @throws {StorageError} 'corrupt' with the field
 */
function expectObject(value: unknown, name: string): Fields {
  if (!isObject(value)) throw corrupt(`${name} is not an object`);
  return value;
}

/** Calls `read` and converts a ParameterError into an error about the field. */
function named<Result>(field: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    throw corrupt(`${field}: ${error.message}`);
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function corrupt(message: string): StorageError {
  return new StorageError('corrupt', message);
}
