import type { PairedTest, PooledTest } from '../../environments/claim.ts';
import { binomialTest, exactInterval, mcnemar, meanInterval, meanTest, studentTails } from '../inference/inference.ts';
import { sampleDeviation } from '../statistics.ts';

/** Conclusion of a test. */
export type Status = 'holds' | 'no such gain' | 'reverse' | 'open';
export const STATUSES: readonly Status[] = ['holds', 'no such gain', 'reverse', 'open'];

/** Side of 0 on which the 95 % interval lies, regardless of its distance from 0. */
export type Direction = 'as claimed' | 'against' | 'unclear';

/**
 * Level of a test, and level of each of the two analyses of a test with an interim analysis after half of its seeds.
 * The two analyses together have a false positive rate of 5 % (Pocock 1977).
 */
export const LEVEL = 0.05;
export const INTERIM_LEVEL = 0.0294;

/** Conclusion from the numbers of a test, before any correction. */
export interface TestConclusion {
  /** Conclusion at `level`. */
  readonly status: Status;
  readonly direction: Direction;
  readonly mean: number;
  /** 95 % interval: Student's t over the seeds, or a conservative one for binary outcomes. */
  readonly low: number;
  readonly high: number;
  /** Two-sided p-value for the claimed bound. */
  readonly probability: number;
  /** Two-sided p-value for the opposite bound; absent if only one bound can decide the test. */
  readonly reverse?: number;
  readonly level: number;
  /** Reason why the conclusion is open regardless of the numbers; absent otherwise. */
  readonly reason?: string;
}

/** Properties of a test that determine its conclusion. */
type TestOptions = Pick<PairedTest, 'hypothesis' | 'margin' | 'binary'>;

/**
 * Evaluates a test from its differences, one per seed. *more* holds if the interval is above the margin. There is no
 * such gain if it is below the margin, and the reverse holds if it is below minus the margin. *keeps* holds if the
 * interval is above minus the margin, and the reverse holds if it is below.
 */
export function judge(options: TestOptions, differences: readonly number[], level = LEVEL): TestConclusion {
  const numbers = options.binary === undefined ? byStudent(options, differences) : byMcNemar(differences);
  const direction = numbers.low > 0 ? 'as claimed' : numbers.high < 0 ? 'against' : 'unclear';
  const result = { ...numbers, direction, level, status: 'open' } as const;
  return { ...result, status: statusOf(options, result, 1) };
}

/** Returns the value that the interval of a claimed effect exceeds: the margin, minus the margin, or 0 for binary outcomes. */
export function claimedBound({ hypothesis, margin, binary }: TestOptions): number {
  if (binary !== undefined) return 0;
  return hypothesis === 'more' ? margin : -margin;
}

type Numbers = Omit<TestConclusion, 'status' | 'direction' | 'level'>;

function byStudent(options: TestOptions, differences: readonly number[]): Numbers {
  const interval = meanInterval(differences);
  if (differences.length < 2) return { ...interval, probability: 1, reason: 'one seed is not enough' };
  if (areEqual(differences)) {
    const reason = 'all seeds have the same difference, so its standard error is unknown';
    return { ...interval, probability: 1, reason };
  }
  const probability = meanTest(differences, claimedBound(options));
  return {
    ...interval,
    probability,
    ...(options.hypothesis === 'more' ? { reverse: meanTest(differences, -options.margin) } : {}),
  };
}

/** Returns true if values differ by rounding errors only. */
function areEqual(values: readonly number[]): boolean {
  return sampleDeviation(values) <= 1e-12 * Math.max(...values.map(Math.abs));
}

/**
 * Evaluates differences of 1, 0 or -1. The interval combines exact intervals of the share of the seeds that differ and
 * of the share of these in favour, each at half of the level. It is conservative, so it can include 0 although the
 * exact test decides.
 */
function byMcNemar(differences: readonly number[]): Numbers {
  const count = differences.length;
  const favour = differences.filter((difference) => difference > 0).length;
  const against = differences.filter((difference) => difference < 0).length;
  const [least, largest] = exactInterval(favour + against, count, LEVEL / 2);
  const [low, high] = exactInterval(favour, favour + against, LEVEL / 2).map((bound) => 2 * bound - 1);
  const probability = mcnemar(favour, against);
  return {
    mean: (favour - against) / count,
    low: low * (low > 0 ? least : largest),
    high: high * (high > 0 ? largest : least),
    probability,
    reverse: probability,
  };
}

/**
 * Returns the conclusion for probabilities that are multiplied by `times`.
 * @param times factor of a correction; 1 for an uncorrected test
 */
export function statusOf(
  options: TestOptions,
  { mean, probability, reverse = 1, level, reason }: Omit<TestConclusion, 'status' | 'direction'>,
  times: number,
): Status {
  if (reason !== undefined || !(times * probability <= level)) return 'open';
  if (mean > claimedBound(options)) return 'holds';
  if (options.hypothesis === 'keeps') return 'reverse';
  return mean < -claimedBound(options) && times * reverse <= level ? 'reverse' : 'no such gain';
}

/**
 * Estimates how many seeds decide a test by Student's t if the mean and the standard deviation of the differences stay
 * the same; undefined for more than 1,000.
 */
export function seedsToDecide(
  options: TestOptions,
  { mean, level }: Pick<TestConclusion, 'mean' | 'level'>,
  deviation: number,
): number | undefined {
  const distance = Math.abs(mean - claimedBound(options)) / deviation;
  for (let seeds = 2; seeds <= 1000; seeds++) {
    if (studentTails(distance * Math.sqrt(seeds), seeds - 1) <= level) return seeds;
  }
  return undefined;
}

/** Number of seeds or problems at which an event occurs. */
export interface Count {
  /** Number of updates before the switch, without those of `Switch.habit`; absent for tests without a switch. */
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

/** Share of the items of a seed with an event, and number of the items. */
export interface PooledValue {
  readonly share: number;
  readonly outOf: number;
}

/** Pools counts over seeds. @param values [seeds] */
export function pooled(values: readonly PooledValue[]): Count {
  const sum = (of: (value: PooledValue) => number) => values.reduce((total, value) => total + of(value), 0);
  return countOf(Math.round(sum(({ share, outOf }) => share * outOf)), Math.round(sum(({ outOf }) => outOf)));
}

/** Returns the reason why there are too few items for a conclusion; undefined if there are enough. */
export function shortfall({ minimum }: Pick<PooledTest, 'minimum'>, { of }: Count): string | undefined {
  return of < minimum ? `${of} of the ${minimum} that it takes` : undefined;
}
