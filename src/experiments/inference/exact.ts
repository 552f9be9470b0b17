import { incompleteBeta } from './student.ts';

// Exact tests and intervals for counts, based on the incomplete beta function.

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
