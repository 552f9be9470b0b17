import type { PooledTest } from '../../environments/claim.ts';
import { binomialTest, exactInterval } from '../inference/exact.ts';
import { LEVEL, type Status } from './judge.ts';

/** Number of seeds or problems at which an event occurs. */
export interface Count {
  /** Update of the switch; absent for tests without a switch. */
  readonly at?: number;
  readonly count: number;
  readonly of: number;
  /** Exact 95 % interval of the share (Clopper and Pearson). */
  readonly low: number;
  readonly high: number;
}

/** Conclusion from counts, before any correction. */
export interface CountDecision {
  readonly status: Status;
  /** Two-sided exact binomial probability under the claimed share; the maximum over several counts. */
  readonly probability: number;
  readonly level: number;
  readonly reason?: string;
}

export function countOf(count: number, of: number, at?: number): Count {
  const [low, high] = of === 0 ? [0, 1] : exactInterval(count, of, LEVEL);
  return { ...(at === undefined ? {} : { at }), count, of, low, high };
}

/**
 * Decides a test of counts. The claim holds if all shares are above the claimed share; the reverse holds if all are
 * below.
 */
export function decideCounts(counts: readonly Count[], share: number, level: number, reason?: string): CountDecision {
  const probability = Math.max(...counts.map(({ count, of }) => (of === 0 ? 1 : binomialTest(count, of, share))));
  const decision = { probability, level, ...(reason === undefined ? {} : { reason }) };
  return { ...decision, status: statusOfCounts(counts, share, decision, 1) };
}

/** Returns the conclusion for a probability multiplied by `times`, the factor of a correction. */
export function statusOfCounts(
  counts: readonly Count[],
  share: number,
  { probability, level, reason }: Omit<CountDecision, 'status'>,
  times: number,
): Status {
  if (reason !== undefined || counts.length === 0 || !(times * probability <= level)) return 'open';
  if (counts.every(({ count, of }) => count > share * of)) return 'holds';
  return counts.every(({ count, of }) => count < share * of) ? 'reverse' : 'open';
}

/** Pools counts over seeds. @param values [seeds] share of the items with the event, and number of items */
export function pooled(values: readonly (readonly [share: number, outOf: number])[]): Count {
  const sum = (of: (value: readonly [number, number]) => number) =>
    values.reduce((total, value) => total + of(value), 0);
  return countOf(
    Math.round(sum(([share, outOf]) => (outOf === 0 ? 0 : share * outOf))),
    Math.round(sum(([, outOf]) => outOf)),
  );
}

/** Returns the reason why there are too few items for a conclusion; undefined if there are enough. */
export function shortfall({ minimum }: Pick<PooledTest, 'minimum'>, { of }: Count): string | undefined {
  return of < minimum ? `${of} of the ${minimum} that it takes` : undefined;
}
