import { standardDeviation } from '../../credit/arithmetic/normalize.ts';

// Distribution of the continuations of a level over groups, with a constant total. Murphy leaves adaptive budgets to
// later work (arXiv 2511.07833, §6).

/** Turn of the current level, after the environment returned its feedback. */
export interface ScoredTurn {
  readonly group: number;
  /** Reward of the turn; NaN until a reward model has set it. */
  readonly reward: number;
  /** True if its episode continues. */
  readonly goesOn: boolean;
}

/**
 * Minimum number of continuations of a turn, so that its continuations can be compared, and its maximum number as a
 * multiple of the even share.
 */
const LEAST = 2;
const MAX_FACTOR = 2;

/**
 * Computes the number of continuations of each turn, with more continuations in groups whose rewards vary more. The
 * method is the optimal allocation to strata of N_g turns with deviation s_g (Neyman 1934). A group with n
 * continuations has the priority N_g s_g / sqrt(n (n + 1)) for its next continuation. N_g is the number of turns of the
 * group that continue, and s_g is the population deviation of all its rewards of the level.
 * Source: Wright 2012, "The Equivalence of Neyman Optimum Allocation for Sampling and Equal Proportions for
 * Apportioning the U.S. House of Representatives".
 *
 * Each turn that continues has at least two continuations and at most twice the even share. The continuations of a
 * group are distributed evenly over its turns, with the remainder on its first turns. Among groups of equal priority,
 * the group with the fewest continuations per turn is next.
 * @param width even share: continuations of each turn that continues
 * @returns [turns] number of continuations, 0 for turns that do not continue. The mean over the other turns is `width`
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

/** Indices of the turns of a group that continue, and the standard deviation of all its rewards. */
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
 * Returns the group of the next continuation. Such a group exists, because the mean number of continuations is at most
 * the even share.
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
