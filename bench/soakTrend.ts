import { median } from './measure.ts';

/** A measure that must not grow, and how much of it is noise. */
export interface Bound {
  readonly name: string;
  /** Growth over the whole watch that is still none: caches that fill late, the collector's moods. */
  readonly margin: number;
}

export interface Trend extends Bound {
  readonly first: number;
  readonly last: number;
  /** What the trend adds from the first watched minute to the last. */
  readonly growth: number;
  readonly grows: boolean;
}

/** The median of the slopes between all pairs of points (Theil 1950, Sen 1968): few outliers do not move it. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const slopes = points.flatMap(([x, y], index) =>
    points.slice(index + 1).flatMap(([laterX, laterY]) => (laterX > x ? [(laterY - y) / (laterX - x)] : [])),
  );
  return slopes.length > 0 ? median(slopes) : 0;
}

/**
 * Whether a measure grows.
 * @param points minutes and values, those of the watched time alone
 */
export function trendOf(bound: Bound, points: readonly (readonly [minute: number, value: number])[]): Trend {
  const [from = 0, first = 0] = points[0] ?? [];
  const [to = 0, last = 0] = points.at(-1) ?? [];
  const growth = slope(points) * (to - from);
  return { ...bound, first, last, growth, grows: growth > bound.margin };
}
