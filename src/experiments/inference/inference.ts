import { quantileSorted } from 'd3-array';
import { exp, log, log1p } from '../../numbers/exponential.ts';
import { sin } from '../../numbers/trigonometry.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Interval } from '../../training/data/truthReport.ts';
import { mean, sampleDeviation } from '../statistics.ts';

// Student's t distribution to double precision, and exact tests of counts. Both use the regularised incomplete beta
// function.

/** Coefficients of the Lanczos approximation of the gamma function (Lanczos 1964, g = 7, nine terms). */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function logGamma(x: number): number {
  if (x < 0.5) return log(Math.PI / sin(Math.PI * x)) - logGamma(1 - x);
  const t = x + 6.5;
  const sum = LANCZOS.slice(1).reduce((total, term, index) => total + term / (x + index), LANCZOS[0]);
  return 0.5 * log(2 * Math.PI) + (x - 0.5) * log(t) - t + log(sum);
}

/** Maximum number of steps of the continued fraction. It converges in far fewer. */
const MAX_STEPS = 500;
/** Replacement of denominators that are nearly zero. */
const TINY = 1e-300;

/** Evaluates the continued fraction of the incomplete beta function by Lentz's method (DLMF 8.17.22). */
function betaFraction(x: number, a: number, b: number): number {
  const off = (value: number) => (Math.abs(value) < TINY ? TINY : value);
  let c = 1;
  let d = 1 / off(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= MAX_STEPS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / off(1 + even * d);
    c = off(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / off(1 + odd * d);
    c = off(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-16) break;
  }
  return fraction;
}

/** Computes the regularised incomplete beta function I_x(a, b). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) return Number(x >= 1);
  const front = exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * log(x) + b * log1p(-x));
  // The continued fraction converges faster on this side of the mean.
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

/**
 * Computes the two-sided tail probability of |t|.
 * @param freedom degrees of freedom, at least 1
 */
export function studentTails(t: number, freedom: number): number {
  if (!Number.isFinite(t)) return Number.isNaN(t) ? NaN : 0;
  return incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/** Returns the bound that |t| exceeds with probability `tails`; 2.262 for 0.05 and 9 degrees of freedom. */
export function studentBound(tails: number, freedom: number): number {
  let [low, high] = [0, 1];
  while (studentTails(high, freedom) > tails) high *= 2;
  // Bisection ends when no double lies between the bounds.
  for (let step = 0; step < 200 && low < high; step++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (studentTails(middle, freedom) > tails) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Computes the half-width of the 95 % Student t confidence interval of a mean; NaN for fewer than two values. */
export function confidence(values: readonly number[]): number {
  if (values.length < 2) return NaN;
  return (studentBound(0.05, values.length - 1) * sampleDeviation(values)) / Math.sqrt(values.length);
}

/** Mean with its 95 % Student t interval. */
export interface MeanInterval {
  readonly mean: number;
  /** Bounds of the 95 % interval; infinite for one value. */
  readonly low: number;
  readonly high: number;
}

/** Computes a mean and its 95 % Student t interval. */
export function meanInterval(values: readonly number[]): MeanInterval {
  const middle = mean(values);
  const half = values.length < 2 ? Infinity : confidence(values);
  return { mean: middle, low: middle - half, high: middle + half };
}

/** Computes the p-value of a two-sided one-sample t test that the mean equals `bound`; 1 for one value. */
export function meanTest(values: readonly number[], bound: number): number {
  if (values.length < 2) return 1;
  const away = mean(values) - bound;
  const error = sampleDeviation(values) / Math.sqrt(values.length);
  if (error === 0) return away === 0 ? 1 : 0;
  return studentTails(away / error, values.length - 1);
}

/** Adjusts the probabilities of a family of tests for multiple comparisons, in the same order (Holm 1979). */
export function holm(probabilities: readonly number[]): number[] {
  const order = probabilities.map((_, index) => index).sort((a, b) => probabilities[a] - probabilities[b]);
  const adjusted: number[] = Array(probabilities.length).fill(1);
  let maximum = 0;
  order.forEach((test, rank) => {
    maximum = Math.max(maximum, Math.min(1, (probabilities.length - rank) * probabilities[test]));
    adjusted[test] = maximum;
  });
  return adjusted;
}

/** Computes the probability of at least `count` successes in `total` trials with success probability `share`. */
function binomialTail(count: number, total: number, share: number): number {
  if (count <= 0) return 1;
  return count > total ? 0 : incompleteBeta(share, count, total - count + 1);
}

/** Computes a two-sided exact binomial test: twice the smaller tail, consistent with `exactInterval`. */
export function binomialTest(count: number, total: number, share: number): number {
  const upper = binomialTail(count, total, share);
  const lower = 1 - binomialTail(count + 1, total, share);
  return Math.min(1, 2 * Math.min(upper, lower));
}

/** Computes the exact interval of a share (Clopper and Pearson 1934). @param level probability outside the interval */
export function exactInterval(count: number, total: number, level: number): readonly [low: number, high: number] {
  const low = count === 0 ? 0 : root((share) => binomialTail(count, total, share) > level / 2);
  const high = count === total ? 1 : root((share) => 1 - binomialTail(count + 1, total, share) < level / 2);
  return [low, high];
}

/** Finds by bisection the share above which a monotonic condition is true. */
function root(condition: (share: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (condition(middle)) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

/**
 * Computes an exact McNemar test of paired binary outcomes.
 * @param favour
 * @param against numbers of discordant pairs
 */
export function mcnemar(favour: number, against: number): number {
  return favour + against === 0 ? 1 : binomialTest(favour, favour + against, 0.5);
}

/** Adjusts probabilities to control the false discovery rate, in the same order (Benjamini and Hochberg 1995). */
export function falseDiscovery(probabilities: readonly number[]): number[] {
  const order = probabilities.map((_, index) => index).sort((a, b) => probabilities[b] - probabilities[a]);
  const adjusted: number[] = Array(probabilities.length).fill(1);
  let minimum = 1;
  order.forEach((test, index) => {
    const rank = probabilities.length - index;
    minimum = Math.min(minimum, (probabilities[test] * probabilities.length) / rank);
    adjusted[test] = minimum;
  });
  return adjusted;
}

/** Default number of bootstrap draws. */
export const DRAWS = 2000;

/**
 * Computes a percentile bootstrap over clusters (Efron 1979). Clusters are drawn with replacement and contribute all
 * their members. A draw depends only on the seed and its index.
 * @param clusters [members] cluster of each member
 * @param statistics function of the drawn members; NaN for an undefined statistic
 * @returns [draws][statistics]; empty for a single cluster, because all draws are equal
 */
export function bootstrap(
  clusters: readonly number[],
  draws: number,
  seed: number,
  statistics: (members: readonly number[]) => readonly number[],
): (readonly number[])[] {
  const byCluster = new Map<number, number[]>(clusters.map((cluster) => [cluster, []]));
  clusters.forEach((cluster, member) => {
    byCluster.get(cluster)?.push(member);
  });
  const members = [...byCluster.values()];
  if (members.length < 2) return [];
  return Array.from({ length: draws }, (_, draw) => {
    const random = new CounterRandom(seed, STREAMS.resampling, draw);
    return statistics(members.flatMap(() => members[random.integer(members.length)]));
  });
}

/**
 * Computes the central 95 % of the draws by linear interpolation. The bounds are NaN if fewer than half of the draws
 * are defined.
 */
export function interval(value: number, draws: readonly number[]): Interval {
  const sorted = draws.filter((draw) => !Number.isNaN(draw)).sort((a, b) => a - b);
  const defined = !Number.isNaN(value) && 2 * sorted.length >= draws.length;
  const bound = (share: number) => (defined ? (quantileSorted(sorted, share) ?? NaN) : NaN);
  return { value, low: bound(0.025), high: bound(0.975) };
}

/** Computes statistics of all members with their bootstrap intervals. The parameters are those of `bootstrap`. */
export function bootstrapIntervals(
  clusters: readonly number[],
  seed: number,
  statistics: (members: readonly number[]) => readonly number[],
  draws = DRAWS,
): Interval[] {
  const drawn = bootstrap(clusters, draws, seed, statistics);
  return statistics([...clusters.keys()]).map((value, at) =>
    interval(
      value,
      drawn.map((row) => row[at]),
    ),
  );
}

/**
 * Computes the mean without the lowest and the highest quarter of the values. Each quarter is rounded down to whole
 * values ("Deep Reinforcement Learning at the Edge of the Statistical Precipice", Agarwal et al., 2021).
 */
export function interquartileMean(values: readonly number[]): number {
  const cut = Math.floor(values.length / 4);
  return mean(values.toSorted((a, b) => a - b).slice(cut, values.length - cut));
}

/** Returns the share of the differences above 0, in which a tie counts one half. */
export function improvement(differences: readonly number[]): number {
  return mean(differences.map((difference) => (difference > 0 ? 1 : difference === 0 ? 0.5 : 0)));
}
