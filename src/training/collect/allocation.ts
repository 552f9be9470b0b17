import { standardDeviation } from '../../credit/arithmetic/statistics.ts';

// Distribution of the continuations of a level, which may differ from group to group as long as the total is the same.
// Murphy leaves this question to later work (arXiv 2511.07833, §6, adaptive budgets).

/** A turn of the level that was just judged. */
export interface ScoredTurn {
  readonly group: number;
  /** R of the turn; NaN while the turn has no reward. */
  readonly reward: number;
  /** True if its episode continues. */
  readonly goesOn: boolean;
}

/**
 * Minimum number of continuations of a turn, so that its continuations can be compared, and maximum number, as a
 * multiple of the even share.
 */
const LEAST = 2;
const MAX_FACTOR = 2;

/**
 * Computes the number of continuations of each turn if groups whose rewards vary more get more. The method is the
 * optimal allocation to strata of N_g turns and deviation s_g (Neyman 1934). Whole numbers follow by the priority N_g
 * s_g / sqrt(n (n + 1)) of a group's next continuation when it has n (Wright 2012, "The Equivalence of Neyman Optimum
 * Allocation for Sampling and Equal Proportions for Apportioning the U.S. House of Representatives"). N_g counts the
 * group's turns that continue, s_g is the population deviation of all its rewards of the level. Every turn that
 * continues gets two, and none more than twice the even share. A group's continuations are spread evenly over its
 * turns, and the first turns get the remainder. Groups of the same priority, and all of them if nothing varies, take
 * turns: the group with the fewest continuations a turn is next.
 * @param width continuations of each turn that continues, if all got the same
 * @returns [turns] 0 for those that do not continue; in all as many as `width` for each of the others
 */
export function allocateByDeviation(turns: readonly ScoredTurn[], width: number): readonly number[] {
  const strata = strataOf(turns);
  const least = Math.min(LEAST, width);
  const counts = strata.map(({ open }) => least * open.length);
  const left = strata.reduce((sum, { open }) => sum + (width - least) * open.length, 0);
  for (let given = 0; given < left; given++) counts[next(strata, counts, MAX_FACTOR * width)]++;
  const continued = turns.map(() => 0);
  strata.forEach(({ open }, index) => {
    open.forEach((turn, position) => {
      continued[turn] = Math.floor((counts[index] + open.length - 1 - position) / open.length);
    });
  });
  return continued;
}

/** Turns of a group that continue, as indices, and the deviation of all of its rewards. */
interface Stratum {
  readonly open: readonly number[];
  readonly deviation: number;
}

function strataOf(turns: readonly ScoredTurn[]): readonly Stratum[] {
  const groups = [...new Set(turns.map(({ group }) => group))];
  return groups
    .map((group) => {
      const members = [...turns.keys()].filter((turn) => turns[turn].group === group);
      const deviation = standardDeviation(members.map((turn) => turns[turn].reward));
      return { open: members.filter((turn) => turns[turn].goesOn), deviation: Number.isNaN(deviation) ? 0 : deviation };
    })
    .filter(({ open }) => open.length > 0);
}

/**
 * Returns the group that gets the next continuation. There is room for it: all together have no more than the even
 * share.
 */
function next(strata: readonly Stratum[], counts: readonly number[], maximum: number): number {
  let best = -1;
  const priority = (index: number) =>
    (strata[index].open.length * strata[index].deviation) / Math.sqrt(counts[index] * (counts[index] + 1));
  const each = (index: number) => counts[index] / strata[index].open.length;
  for (const index of strata.keys()) {
    if (each(index) >= maximum) continue;
    if (best < 0 || priority(index) > priority(best)) best = index;
    else if (priority(index) === priority(best) && each(index) < each(best)) best = index;
  }
  return best;
}
