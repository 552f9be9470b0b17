import { median } from './measure.ts';

/** Trend of a time series. */
export interface Trend {
  /** Growth from the first to the last sample, from the median slope between all pairs (Theil–Sen estimator). */
  readonly rise: number;
  readonly median: number;
}

/** Estimates the trend of samples. @param times at least two times in ascending order, in any unit */
export function trend(times: readonly number[], values: readonly number[]): Trend {
  const slopes = times.flatMap((time, last) =>
    times.slice(0, last).map((before, first) => (values[last] - values[first]) / (time - before)),
  );
  return { rise: median(slopes) * (times[times.length - 1] - times[0]), median: median(values) };
}

/** Returns true if a size grows by more than its noise: the maximum of `least` and a share of its median. */
export function grows({ rise, median: middle }: Trend, least: number, share: number): boolean {
  return rise > Math.max(least, share * middle);
}

/** Returns true if a count grows: the minimum of the last third is above the maximum of the first third. */
export function countGrows(values: readonly number[]): boolean {
  const third = Math.max(1, Math.floor(values.length / 3));
  return Math.min(...values.slice(-third)) > Math.max(...values.slice(0, third));
}
