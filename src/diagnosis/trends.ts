/** Computes Spearman's rank correlation of values with their order, -1 to 1; 0 if all values are equal. */
export function trend(values: readonly number[]): number {
  const ranks = ranksOf(values);
  const center = (values.length - 1) / 2;
  let [product, squares, orders] = [0, 0, 0];
  ranks.forEach((rank, at) => {
    product += (rank - center) * (at - center);
    squares += (rank - center) * (rank - center);
    orders += (at - center) * (at - center);
  });
  return squares === 0 ? 0 : product / Math.sqrt(squares * orders);
}

/** Returns [values] ranks from 0. Equal values share the mean of their ranks. */
function ranksOf(values: readonly number[]): readonly number[] {
  const sorted = values.map((value, at) => ({ value, at })).sort((a, b) => a.value - b.value);
  const ranks = new Array<number>(values.length);
  for (let from = 0; from < sorted.length; ) {
    let to = from;
    while (to + 1 < sorted.length && sorted[to + 1].value === sorted[from].value) to++;
    for (let at = from; at <= to; at++) ranks[sorted[at].at] = (from + to) / 2;
    from = to + 1;
  }
  return ranks;
}

/** Returns the first and the last fifth of a list, at least one entry each. */
export function ends<Entry>(list: readonly Entry[]): {
  readonly first: readonly Entry[];
  readonly last: readonly Entry[];
} {
  const length = Math.max(1, Math.floor(list.length / 5));
  return { first: list.slice(0, length), last: list.slice(-length) };
}

/**
 * Computes the z-score of the difference of two shares, positive if the first is larger; 0 if both are 0 or both are 1.
 */
export function shareScore(a: { hits: number; of: number }, b: { hits: number; of: number }): number {
  const pooled = (a.hits + b.hits) / (a.of + b.of);
  const variance = pooled * (1 - pooled) * (1 / a.of + 1 / b.of);
  return variance <= 0 ? 0 : (a.hits / a.of - b.hits / b.of) / Math.sqrt(variance);
}
