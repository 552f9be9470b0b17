import { CounterRandom, STREAMS } from '../../random/counter.ts';
import { mean } from '../statistics.ts';

// As in "Deep Reinforcement Learning at the Edge of the Statistical Precipice" (Agarwal et al., 2021): a stratum is a
// world here, and its members are the seeds in it.

/** Interquartile mean: of the values without the lowest and the highest quarter, each rounded down to whole values. */
export function interquartileMean(values: readonly number[]): number {
  const cut = Math.floor(values.length / 4);
  return mean(values.toSorted((a, b) => a - b).slice(cut, values.length - cut));
}

/** The values in which `sorted` is cut at a share, between neighbours by the line (as numpy's percentile). */
export function quantile(sorted: readonly number[], share: number): number {
  const at = share * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

/** [strata][members] index of the member that replaces each member, drawn again for every resample. */
export type Draws = (resample: number) => readonly (readonly number[])[];

/** Resamples of a bootstrap interval. */
const RESAMPLES = 2000;

/** Draws of a stratified bootstrap, the same for the same shape. */
export function drawsOf(strata: readonly (readonly number[])[]): Draws {
  return (resample) => {
    const random = new CounterRandom(0, STREAMS.resampling, resample);
    return strata.map((members) => members.map(() => random.integer(members.length)));
  };
}

/**
 * 95 % percentile interval of a statistic, resampled inside each stratum.
 * @param strata [strata][members] every stratum has a member
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
 * Probability of improvement: that a run of the one is above a run of the other in the same stratum, a tie counting half;
 * the mean over the strata (Mann and Whitney's U over the pairs).
 * @param strata [strata] the members of both
 */
export function improvement(strata: readonly (readonly [one: readonly number[], other: readonly number[]])[]): number {
  return mean(
    strata.map(([first, second]) => mean(first.flatMap((a) => second.map((b) => (a > b ? 1 : a === b ? 0.5 : 0))))),
  );
}
