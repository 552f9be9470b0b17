import type { Metrics } from '../src/training/data/protocol.ts';

/** Names of the metrics that depend on the clock. */
const CLOCK = [
  'tokensPerSecond',
  'stepMs',
  'generateMs',
  'executeMs',
  'updateMs',
  'encodeMs',
  'creditMs',
  'optimizeMs',
] as const satisfies readonly (keyof Metrics)[];

/** Returns metrics, or series of metrics by name, without those that depend on the clock, to compare runs exactly. */
export function timeless<Row extends object>(row: Row): Partial<Row> {
  const clock: readonly string[] = CLOCK;
  return Object.fromEntries(Object.entries(row).filter(([name]) => !clock.includes(name))) as Partial<Row>;
}
