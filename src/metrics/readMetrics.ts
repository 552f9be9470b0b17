import type { MetricKind, MetricRow } from './metric.ts';
import { METRICS, type Metrics } from './metricTable.ts';

/** Fields read from a file, before any check. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns true if a value is an object with fields, and not a list. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Formats a value for a message as JSON, cut to 40 characters. */
export function show(value: unknown): string {
  return value === undefined ? 'missing' : (JSON.stringify(value)?.slice(0, 40) ?? String(value));
}

/** Error for an invalid value of a metric. The message has the position of the value. */
export class MetricError extends Error {
  override readonly name = 'MetricError';
}

/** Function that returns the position of a value. It is called for errors only, because a long run has many values. */
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
 * Reads the metrics of one update from a file. Numbers that are not finite become null, as in JSON. Unknown fields are
 * retained.
 * @param entry update in the file
 * @param position position of the entry, for errors
 * @throws {MetricError} with the position and the value
 */
export function readMetrics(entry: Fields, position: Position): Metrics {
  const row: Record<string, unknown> = { ...entry };
  for (const { name, read } of ROWS) {
    const value = entry[name];
    // A long run has millions of numbers, and almost all are finite. This case needs no function for the position.
    if (read === readNumber && Number.isFinite(value)) continue;
    row[name] = read(value, () => `${position()}.${name}`);
  }
  return row as unknown as Metrics;
}

function readText(value: unknown, position: Position): string {
  if (typeof value !== 'string') throw new MetricError(`${position()} is ${show(value)}, not a text`);
  return value;
}

/** Reads a number or null. JSON has null for a number that is not finite, such as a mean over zero cases. */
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
