import type { Metrics } from '../src/training/data/protocol.ts';

/** Names of the metrics that the clock decides. */
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

/** Metrics, or series of them by name, without what the clock decides: for comparing runs exactly. */
export function timeless<Row extends object>(row: Row): Partial<Row> {
  const clock: readonly string[] = CLOCK;
  return Object.fromEntries(Object.entries(row).filter(([name]) => !clock.includes(name))) as Partial<Row>;
}
