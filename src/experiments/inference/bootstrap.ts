import { quantileSorted } from 'd3-array';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Interval } from '../../training/data/truthReport.ts';
import { mean } from '../statistics.ts';

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
