import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Metrics } from '../../metrics/metricTable.ts';
import { valueIn } from '../expectations.ts';
import type { Curves } from './courseResult.ts';

/** Length of a digest [characters], long enough that two different curves in a class do not share one by chance. */
const LENGTH = 16;

/** Returns the values of lines in the first updates of a run, [steps] each. A value is null if it was not measured. */
export function curvesOf(metrics: readonly Metrics[], lines: readonly string[], steps: number): Curves {
  const rows = metrics.filter(({ step }) => step < steps);
  const curve = (line: string) => {
    const values: (number | null)[] = Array(steps).fill(null);
    for (const row of rows) {
      const value = valueIn(row, line);
      values[row.step] = Number.isFinite(value) ? value : null;
    }
    return values;
  };
  return Object.fromEntries(lines.map((line) => [line, curve(line)]));
}

/** Computes the digest of curves. It depends on the bits of all numbers, and not on the order of the lines. */
export function digestOf(curves: Curves): string {
  const sorted = Object.entries(curves).sort(([a], [b]) => (a < b ? -1 : 1));
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(sorted)))).slice(0, LENGTH);
}
