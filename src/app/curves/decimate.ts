/**
 * Selects the visible points of a long curve by M4 aggregation: the first, lowest, highest and last point of each of
 * `buckets` equal parts. No spike is lost. Short curves keep all points.
 * @param values values of the curve, NaN for missing ones
 * @returns indices in ascending order, at most 4 per bucket
 */
export function decimate(values: ArrayLike<number>, buckets: number): number[] {
  const { length } = values;
  if (length <= 4 * buckets) return Array.from({ length }, (_, index) => index);
  const retained: number[] = [];
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const from = Math.floor((bucket * length) / buckets);
    const to = Math.floor(((bucket + 1) * length) / buckets) - 1;
    let lowest = from;
    let highest = from;
    for (let index = from + 1; index <= to; index += 1) {
      const value = values[index] as number;
      if (value < (values[lowest] as number)) lowest = index;
      if (value > (values[highest] as number)) highest = index;
    }
    const picked = new Set([from, Math.min(lowest, highest), Math.max(lowest, highest), to]);
    retained.push(...picked);
  }
  return retained;
}

/** Returns every k-th index, with k chosen for about `limit` rows. The last index is always included. */
export function everyKth(length: number, limit: number): { indices: number[]; every: number } {
  const every = Math.max(1, Math.ceil(length / limit));
  const indices: number[] = [];
  for (let index = 0; index < length; index += every) indices.push(index);
  if (length > 0 && indices.at(-1) !== length - 1) indices.push(length - 1);
  return { indices, every };
}
