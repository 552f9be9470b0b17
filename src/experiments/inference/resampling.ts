import { CounterRandom, STREAMS } from '../../random/counter.ts';
import { mean } from '../statistics.ts';

// Source: "Deep Reinforcement Learning at the Edge of the Statistical Precipice" (Agarwal et al., 2021). Here, a
// stratum is a world and its members are the seeds in it.

/**
 * Computes the mean without the lowest and the highest quarter of the values. Each quarter is rounded down to whole
 * values.
 */
export function interquartileMean(values: readonly number[]): number {
  const cut = Math.floor(values.length / 4);
  return mean(values.toSorted((a, b) => a - b).slice(cut, values.length - cut));
}

/** Computes a quantile with linear interpolation between neighbours, as numpy.percentile. @param share 0 to 1 */
export function quantile(sorted: readonly number[], share: number): number {
  const at = share * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

/** [strata][members] index of the replacement of each member, for the resample with the given number. */
export type Draws = (resample: number) => readonly (readonly number[])[];

/** Default number of resamples of a bootstrap interval. */
const RESAMPLES = 2000;

/** Returns the draws of a stratified bootstrap. They depend only on the number of strata and on the strata's sizes. */
export function drawsOf(strata: readonly (readonly number[])[]): Draws {
  return (resample) => {
    const random = new CounterRandom(0, STREAMS.resampling, resample);
    return strata.map((members) => members.map(() => random.integer(members.length)));
  };
}

/**
 * Computes a 95 % percentile bootstrap interval of a statistic. Values are resampled within each stratum.
 * @param strata [strata][members] values; each stratum has at least one member
 */
export function bootstrapInterval(
  strata: readonly (readonly number[])[],
  statistic: (values: readonly number[]) => number,
  resamples = RESAMPLES,
  draws = drawsOf(strata),
): readonly [number, number] {
  const estimates = Array.from({ length: resamples }, (_, resample) => {
    const drawn = draws(resample);
    return statistic(strata.flatMap((members, stratum) => drawn[stratum].map((member) => members[member])));
  }).sort((a, b) => a - b);
  return [quantile(estimates, 0.025), quantile(estimates, 0.975)];
}

/**
 * Computes the probability of improvement: the probability that a run of `one` exceeds a run of `other` in the same
 * stratum. A tie counts one half. The result is the mean over the strata of Mann and Whitney's U divided by the number
 * of pairs.
 * @param strata [strata] values of both
 */
export function improvement(strata: readonly (readonly [one: readonly number[], other: readonly number[]])[]): number {
  return mean(
    strata.map(([first, second]) => mean(first.flatMap((a) => second.map((b) => (a > b ? 1 : a === b ? 0.5 : 0))))),
  );
}
