import type { PooledTest } from '../../environments/claim.ts';
import { binomialTest, exactInterval } from '../inference/exact.ts';
import { LEVEL, type Status } from './judge.ts';

/** Number of times that an event happened. */
export interface Count {
  /** At which step of a switch. */
  readonly at?: number;
  readonly count: number;
  readonly of: number;
  /** Exact 95 % interval of the share. */
  readonly low: number;
  readonly high: number;
}

/** Verdict on counts, before any correction. */
export interface CountDecision {
  readonly status: Status;
  /** Exact binomial, two-sided, for the claimed share being the truth; the largest of several counts. */
  readonly probability: number;
  readonly level: number;
  readonly reason?: string;
}

export function countOf(count: number, of: number, at?: number): Count {
  const [low, high] = of === 0 ? [0, 1] : exactInterval(count, of, LEVEL);
  return { ...(at === undefined ? {} : { at }), count, of, low, high };
}

/** The claim holds if every share is above the claimed one, and the reverse does if every share is below. */
export function decideCounts(counts: readonly Count[], share: number, level: number, reason?: string): CountDecision {
  const probability = Math.max(...counts.map(({ count, of }) => (of === 0 ? 1 : binomialTest(count, of, share))));
  const decision = { probability, level, ...(reason === undefined ? {} : { reason }) };
  return { ...decision, status: statusOfCounts(counts, share, decision, 1) };
}

/** The verdict if the probability counts so many times. */
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

/** Counts things over seeds. @param values of a seed: the share to which it happens, and the number of things */
export function pooled(values: readonly (readonly [share: number, outOf: number])[]): Count {
  const sum = (of: (value: readonly [number, number]) => number) =>
    values.reduce((total, value) => total + of(value), 0);
  return countOf(
    Math.round(sum(([share, outOf]) => (outOf === 0 ? 0 : share * outOf))),
    Math.round(sum(([, outOf]) => outOf)),
  );
}

/** Why so few things decide nothing; undefined where they are enough. */
export function shortfall({ minimum }: Pick<PooledTest, 'minimum'>, { of }: Count): string | undefined {
  return of < minimum ? `${of} of the ${minimum} that it takes` : undefined;
}
