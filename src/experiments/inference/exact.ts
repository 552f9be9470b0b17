import { incompleteBeta } from './student.ts';

// Exact statistics of counts, by the incomplete beta function.

/** Probability of `count` or more of `total`, each with probability `share`. */
function binomialTail(count: number, total: number, share: number): number {
  if (count <= 0) return 1;
  return count > total ? 0 : incompleteBeta(share, count, total - count + 1);
}

/** Two-sided exact binomial test: twice the smaller tail, so that it agrees with `exactInterval`. */
export function binomialTest(count: number, total: number, share: number): number {
  const upper = binomialTail(count, total, share);
  const lower = 1 - binomialTail(count + 1, total, share);
  return Math.min(1, 2 * Math.min(upper, lower));
}

/** Exact interval of a share (Clopper and Pearson 1934). @param level probability outside of it */
export function exactInterval(count: number, total: number, level: number): readonly [low: number, high: number] {
  const low = count === 0 ? 0 : root((share) => binomialTail(count, total, share) > level / 2);
  const high = count === total ? 1 : root((share) => 1 - binomialTail(count + 1, total, share) < level / 2);
  return [low, high];
}

/** The share above which a condition is true. */
function root(condition: (share: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (condition(middle)) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

/** Exact McNemar test of pairs of outcomes that are 0 or 1. @param favour @param against pairs that differ either way */
export function mcnemar(favour: number, against: number): number {
  return favour + against === 0 ? 1 : binomialTest(favour, favour + against, 0.5);
}

/** Adjusted probabilities that bound the false discovery rate, in their order (Benjamini and Hochberg 1995). */
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
