import { CONFIGURATION_VERSION } from '../training/configuration.ts';
import type { SavedRun } from '../training/protocol.ts';
import { StorageError } from './runStore.ts';

/**
 * Checks that a value read from storage or from a file is a run, as far as that can be seen without a GPU.
 * @throws {StorageError} 'corrupt', naming the field.
 */
export function checkSavedRun(value: unknown): SavedRun {
  const run = expectObject(value, 'the run');
  const configuration = expectObject(run.configuration, 'configuration');
  if (configuration.version !== CONFIGURATION_VERSION) {
    throw corrupt(`configuration.version is ${show(configuration.version)}, this page reads ${CONFIGURATION_VERSION}`);
  }
  if (configuration.environment !== 'search') {
    throw corrupt(`configuration.environment is ${show(configuration.environment)}, not "search"`);
  }
  expectObject(configuration.settings, 'configuration.settings');
  expectObject(configuration.controls, 'configuration.controls');
  if (!isCount(configuration.seed)) throw corrupt(`configuration.seed is ${show(configuration.seed)}`);
  expectEntries(configuration.schedule, 'configuration.schedule');
  if (!isCount(run.step)) throw corrupt(`step is ${show(run.step)}, not a whole number from 0`);
  expectEntries(run.events, 'events');
  expectEntries(run.metrics, 'metrics');
  if (!(run.checkpoint instanceof ArrayBuffer) || run.checkpoint.byteLength < 8) {
    throw corrupt('checkpoint is missing or empty');
  }
  return value as SavedRun;
}

/** Entries of a run's lists all stand at a step. */
function expectEntries(value: unknown, name: string): void {
  if (!Array.isArray(value)) throw corrupt(`${name} is not a list`);
  value.forEach((entry: unknown, index) => {
    const { step } = expectObject(entry, `${name}[${index}]`);
    if (!isCount(step)) throw corrupt(`${name}[${index}].step is ${show(step)}`);
  });
}

function expectObject(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw corrupt(`${name} is not an object`);
  return value as Record<string, unknown>;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : (JSON.stringify(value)?.slice(0, 40) ?? String(value));
}

function corrupt(message: string): StorageError {
  return new StorageError('corrupt', message);
}
