import { type Fields, isObject, show } from './fields.ts';
import type { MetricKind, MetricRow } from './metric.ts';
import { METRICS, type Metrics } from './metricTable.ts';

/** A value that is no metric of its name; the message names the place. */
export class MetricError extends Error {
  override readonly name = 'MetricError';
}

/** Gives the place of a value, for messages alone: a long run has many values. */
type Position = () => string;

const READERS: Readonly<Record<MetricKind, (value: unknown, position: Position) => unknown>> = {
  text: readText,
  integer: readNumber,
  number: readNumber,
  nullable: readNumber,
  numbers: readNumbers,
  nullables: readNumbers,
  sparse: (value, position) => (value === null ? null : readNumbers(value, position)),
};

const ROWS = METRICS.map(({ name, kind }: MetricRow) => ({ name, read: READERS[kind] }));

/**
 * Reads the metrics of one update from a file. Numbers that are not finite become null, as in JSON. Fields that the
 * table does not name are retained.
 * @param entry update in the file
 * @param position of the entry, for errors
 * @throws {MetricError} naming the value
 */
export function readMetrics(entry: Fields, position: Position): Metrics {
  const row: Record<string, unknown> = { ...entry };
  for (const { name, read } of ROWS) {
    const value = entry[name];
    // A long run has millions of numbers, nearly all of them as they should be.
    if (read === readNumber && Number.isFinite(value)) continue;
    row[name] = read(value, () => `${position()}.${name}`);
  }
  return row as unknown as Metrics;
}

function readText(value: unknown, position: Position): string {
  if (typeof value !== 'string') throw new MetricError(`${position()} is ${show(value)}, not a text`);
  return value;
}

/** An update's numbers may be none (a mean over nothing); JSON writes null for them. */
function readNumber(value: unknown, position: Position): number | null {
  if (value !== null && typeof value !== 'number') {
    throw new MetricError(`${position()} is ${show(value)}, not a number`);
  }
  return Number.isFinite(value) ? value : null;
}

function readNumbers(value: unknown, position: Position): Readonly<Record<string, number | null>> {
  if (!isObject(value)) throw new MetricError(`${position()} is not an object`);
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, readNumber(part, () => `${position()}.${name}`)]),
  );
}
