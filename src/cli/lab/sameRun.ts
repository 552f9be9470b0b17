import { createHash } from 'node:crypto';
import type { ArmRun } from '../../experiments/compare/findings.ts';
import { METRICS } from '../../metrics/metricTable.ts';

/** Names of the metrics that depend on the clock. */
const CLOCK: readonly string[] = METRICS.filter(({ group }) => group === 'time').map(({ name }) => name);

/**
 * Returns the first difference between two runs of one arm and seed, or undefined if the runs have the same bits.
 * Findings store curves with six digits. Metrics that depend on the clock or that only one run has are not compared.
 */
export function firstDifference(first: ArmRun, second: ArmRun): string | undefined {
  if (first.digest !== second.digest) return 'they started from different policies';
  for (const name of shared(first.heldOut, second.heldOut)) {
    const [a, b] = [first.heldOut[name], second.heldOut[name]].map(toFinite);
    if (a !== b) return `measured ${name} ${a}, and ${b}`;
  }
  for (const name of shared(first.series, second.series)) {
    if (CLOCK.includes(name)) continue;
    const [a, b] = [first.series[name], second.series[name]];
    const at = Array.from({ length: Math.max(a.length, b.length) }, (_, step) => step).find(
      (step) => a[step] !== b[step],
    );
    if (at !== undefined) return `${name} at update ${at} ${a[at]}, and ${b[at]}`;
  }
  return undefined;
}

/** Returns null for a number that JSON cannot represent, because a file stores null there. */
function toFinite(value: number | null): number | null {
  return value === null || Number.isFinite(value) ? value : null;
}

function shared(first: object, second: object): string[] {
  return Object.keys(first).filter((name) => name in second);
}

/** Returns the digest of the results of a run: all measurements, and the complete curves with the given names. */
export function resultDigest({ heldOut, series }: ArmRun, curves: readonly string[]): string {
  const measured = Object.keys(heldOut)
    .sort()
    .map((name) => [name, heldOut[name]]);
  const entries = curves.map((name) => [name, series[name] ?? null]);
  return createHash('sha256')
    .update(JSON.stringify([measured, entries]))
    .digest('hex')
    .slice(0, 16);
}
