import type { CounterRandom } from '../../random/counter.ts';

/** Number of tests of a problem. `VISIBLE_TESTS` of them can be shown to the policy. */
export const TESTS = 10;
export const VISIBLE_TESTS = 4;
/** Maximum number of tests selected to catch every wrong variant. The remaining tests distribute the difficulty. */
const COVER = 6;
const QUANTILES = [0, 0.05, 0.15, 0.3, 0.5, 0.7, 0.9, 1, 0.2, 0.4, 0.6, 0.8];

/**
 * Selects tests by a kill matrix. A greedy cover first catches every wrong variant. Further candidates are then
 * distributed over the quantiles of the kill rate, including trivial ones. The result is in random order.
 * @param passed true if a wrong variant passes a candidate, [variants][candidates]; no variant passes all
 * @returns indices of candidates
 */
export function chooseTests(passed: readonly (readonly boolean[])[], random: CounterRandom): number[] {
  const candidates = passed[0].length;
  const kill = Array.from({ length: candidates }, (_, test) => share(passed, (row) => !row[test]));
  // Order by kill rate, with ties in random order.
  const shuffled = random.permutation(candidates);
  const order = shuffled.toSorted((a, b) => kill[a] - kill[b]);
  const chosen: number[] = [];

  let alive = [...passed.keys()];
  while (alive.length > 0 && chosen.length < COVER) {
    const catches = (test: number) => alive.filter((variant) => !passed[variant][test]);
    const best = order.reduce((best, test) => {
      const [more, maximum] = [catches(test).length, catches(best).length];
      return more > maximum || (more === maximum && kill[test] < kill[best]) ? test : best;
    });
    if (catches(best).length === 0) break;
    alive = alive.filter((variant) => passed[variant][best]);
    chosen.push(best);
  }
  for (const quantile of QUANTILES) {
    if (chosen.length >= Math.min(TESTS, candidates)) break;
    const distance = (test: number) => Math.abs(order.indexOf(test) / Math.max(1, candidates - 1) - quantile);
    const left = order.filter((test) => !chosen.includes(test));
    chosen.push(left.reduce((best, test) => (distance(test) < distance(best) ? test : best)));
  }
  return random.permutation(chosen.length).map((index) => chosen[index]);
}

function share<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  return items.filter(holds).length / items.length;
}
