import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Metrics } from '../../metrics/metricTable.ts';
import { valueIn } from '../expectations.ts';
import type { Curves } from './courseResult.ts';

/** Characters of a digest: enough that no two curves of a class share one by chance. */
const LENGTH = 16;

/** Lines of the first updates of a run, each [steps]; null where nothing was measured. */
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

/** Computes the digest of curves: the same for the same numbers, bit for bit, in any order of the lines. */
export function digestOf(curves: Curves): string {
  const sorted = Object.entries(curves).sort(([a], [b]) => (a < b ? -1 : 1));
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(sorted)))).slice(0, LENGTH);
}
