import type { PairedTest } from '../../environments/claim.ts';
import { exactInterval, mcnemar } from '../inference/exact.ts';
import { meanInterval, meanTest } from '../inference/inference.ts';
import { standardDeviation } from '../statistics.ts';

/** Verdict on a test. */
export type Status = 'holds' | 'no such gain' | 'reverse' | 'open';
export const STATUSES: readonly Status[] = ['holds', 'no such gain', 'reverse', 'open'];

/** The side of 0 on which the 95 % interval lies, whatever its size. */
export type Direction = 'as claimed' | 'against' | 'unclear';

/**
 * Level of a test, and of each of the two analyses of a test with an interim analysis after half of its seeds: together the two err
 * in 5 % of the cases (Pocock 1977).
 */
export const LEVEL = 0.05;
export const INTERIM_LEVEL = 0.0294;

/** Conclusion from the numbers of a test before any correction. */
export interface TestConclusion {
  /** At `level`. */
  readonly status: Status;
  readonly direction: Direction;
  readonly mean: number;
  /** 95 % interval: Student's t over the seeds, or exact for outcomes that are 0 or 1. */
  readonly low: number;
  readonly high: number;
  /** Two-sided, for the claimed bound being the truth. */
  readonly probability: number;
  /** Two-sided, for the bound on the other side of 0 being the truth; only where both are bounds of a verdict. */
  readonly reverse?: number;
  readonly level: number;
  /** Why nothing is decided, whatever the numbers. */
  readonly reason?: string;
}

/** Properties of a test on which a conclusion is based. */
type TestOptions = Pick<PairedTest, 'hypothesis' | 'margin' | 'binary'>;

/**
 * Judges differences, one a seed. *more*: it holds if the interval lies above the margin, there is no such gain if it lies below,
 * and the reverse if it lies below minus the margin. *keeps*: it holds if the interval lies above minus the margin, and the
 * reverse if it lies below.
 */
export function judge(options: TestOptions, differences: readonly number[], level = LEVEL): TestConclusion {
  const numbers = options.binary === undefined ? byStudent(options, differences) : byMcNemar(differences);
  const direction = numbers.low > 0 ? 'as claimed' : numbers.high < 0 ? 'against' : 'unclear';
  const result = { ...numbers, direction, level, status: 'open' } as const;
  return { ...result, status: statusOf(options, result, 1) };
}

type Numbers = Omit<TestConclusion, 'status' | 'direction' | 'level'>;

function byStudent({ hypothesis, margin }: TestOptions, differences: readonly number[]): Numbers {
  const interval = meanInterval(differences);
  if (differences.length < 2) return { ...interval, probability: 1, reason: 'one seed is not enough' };
  if (standardDeviation(differences) === 0) {
    const reason = 'all seeds have the same difference, so its standard error is unknown';
    return { ...interval, probability: 1, reason };
  }
  const probability = meanTest(differences, hypothesis === 'more' ? margin : -margin);
  return { ...interval, probability, ...(hypothesis === 'more' ? { reverse: meanTest(differences, -margin) } : {}) };
}

/** Differences are 1, 0 or -1. The interval is that of the pairs that differ. */
function byMcNemar(differences: readonly number[]): Numbers {
  const favour = differences.filter((difference) => difference > 0).length;
  const against = differences.filter((difference) => difference < 0).length;
  const differ = favour + against;
  const share = differ / differences.length;
  const [low, high] = exactInterval(favour, differ, LEVEL).map((bound) => share * (2 * bound - 1));
  const probability = mcnemar(favour, against);
  return { mean: (favour - against) / differences.length, low, high, probability, reverse: probability };
}

/**
 * The verdict if probabilities count so many times.
 * @param times 1 for a test alone; the factor of a correction
 */
export function statusOf(
  { hypothesis, margin, binary }: TestOptions,
  { mean, probability, reverse = 1, level, reason }: Omit<TestConclusion, 'status' | 'direction'>,
  times: number,
): Status {
  if (reason !== undefined || !(times * probability <= level)) return 'open';
  const claimed = binary !== undefined ? 0 : hypothesis === 'more' ? margin : -margin;
  if (mean > claimed) return 'holds';
  if (hypothesis === 'keeps') return 'reverse';
  return mean < (binary === undefined ? -margin : 0) && times * reverse <= level ? 'reverse' : 'no such gain';
}
