import { mean } from 'd3-array';
import { ENVIRONMENTS } from '../environments/registry.ts';
import { METRICS, type Metrics } from '../metrics/metricTable.ts';
import type { EnvironmentName } from '../training/data/configuration.ts';
import type { Expectation } from './lesson.ts';

/**
 * Returns the default number of values over which an expectation averages a line. Five updates reduce the noise of
 * single batches. Held-out metrics are measured rarely and use two measurements.
 */
export function usualWindow(line: string): number {
  return line.startsWith('heldOut:') ? 2 : 5;
}

/** Result of a run for an expectation. */
export interface Finding {
  /** Mean over the last updates before the step of the bound. NaN if there is no measured value. */
  readonly value: number;
  readonly met: boolean;
}

/** Returns the value of a line in an update, or NaN if the line was not measured. */
export function valueIn(row: Metrics, line: string): number {
  const [kind, name = ''] = line.split(':');
  const read = kind === 'heldOut' ? row.heldOut?.[name] : kind === 'fact' ? row.facts?.[name] : row[line as 'toolUse'];
  return typeof read === 'number' ? read : Number.NaN;
}

/**
 * Returns the mean of a line over its last measured values before a step, or NaN if there is no value.
 * @param over number of measured values in the mean
 */
export function meanBefore(
  metrics: readonly Metrics[],
  line: string,
  step: number,
  over: number = usualWindow(line),
): number {
  const measured = metrics.filter((row) => row.step < step).map((row) => valueIn(row, line));
  return mean(measured.filter(Number.isFinite).slice(-over)) ?? Number.NaN;
}

/**
 * Compares a run with an expectation of its lesson.
 * @param metrics metrics of the run that the expectation names
 */
export function findingOf({ line, is, value: bound, by, over }: Expectation, metrics: readonly Metrics[]): Finding {
  const value = meanBefore(metrics, line, by, over);
  return { value, met: is === 'below' ? value < bound : value > bound };
}

/** Returns true if a line of an environment is a share from 0 to 1. An unknown line is not a share. */
export function isShare(environment: EnvironmentName, line: string): boolean {
  const [kind, name] = line.split(':');
  if (name === undefined) return METRICS.some((row) => row.name === line && row.unit === 'share');
  const { facts, heldOut } = ENVIRONMENTS[environment];
  const lines: readonly { readonly name: string; readonly format: string }[] = kind === 'fact' ? facts : heldOut;
  return lines.some((fact) => fact.name === name && fact.format === 'share');
}
