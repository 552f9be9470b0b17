import { passAtK } from '../environments/repair/evaluation.ts';
import { GRANULARITIES, type Granularity } from '../environments/repo/granularity.ts';
import type { Group } from '../rollouts/forest.ts';
import type { Interval } from '../training/data/truthReport.ts';
import { bootstrapIntervals } from './inference/bootstrap.ts';

/** Share of the steps whose state is visited by at least two rollouts of a group. */
export interface SharingReport {
  readonly problems: number;
  /** Number of rollouts per problem. */
  readonly rollouts: number;
  readonly steps: number;
  /** Group sizes, in the order of the shares. */
  readonly sizes: readonly number[];
  /** [sizes] shares for each granularity; the intervals resample problems. */
  readonly shares: Readonly<Record<Granularity, readonly Interval[]>>;
}

/** [rollouts][steps] state before each step of the rollouts of one problem. */
export type States = readonly (readonly string[])[];

/**
 * Computes the mean number of shared steps over all groups of each size that can be drawn from the rollouts of a
 * problem. Let v of the N rollouts visit the state of a step. The step is shared if one of the other v - 1 rollouts is
 * among the other G - 1 members of its group. The probability is 1 - C(N - v, G - 1) / C(N - 1, G - 1).
 * @param sizes group sizes G, from 2 to N
 * @returns [sizes] expected number of shared steps among all steps of the N rollouts
 */
export function sharedSteps(states: States, sizes: readonly number[]): number[] {
  const visitors = new Map<string, number>();
  for (const path of states) for (const state of new Set(path)) visitors.set(state, (visitors.get(state) ?? 0) + 1);
  const visitCounts = states.flat().map((state) => (visitors.get(state) ?? 0) - 1);
  return sizes.map((size) => visitCounts.reduce((sum, met) => sum + passAtK(states.length - 1, met, size - 1), 0));
}

/**
 * Computes the share of shared steps over all problems, at each granularity of the repository environment.
 * @param problems [problems][rollouts] groups of one rollout; all problems have the same number, at least the largest
 * size
 */
export function sharing(
  problems: readonly (readonly Group[])[],
  sizes: readonly number[],
  seed: number,
): SharingReport {
  const steps = problems.map((groups) => groups.reduce((all, { turns }) => all + turns.length, 0));
  const sum = (members: readonly number[], of: readonly number[]) =>
    members.reduce((all, member) => all + of[member], 0);
  const shares = {} as Record<Granularity, readonly Interval[]>;
  for (const granularity of GRANULARITIES) {
    const shared = problems.map((groups) =>
      sharedSteps(
        groups.map((group) => statesAt(group, granularity)),
        sizes,
      ),
    );
    const bySize = sizes.map((_, size) => shared.map((counts) => counts[size]));
    const over = (members: readonly number[]) => {
      const all = sum(members, steps);
      return bySize.map((counts) => sum(members, counts) / all);
    };
    shares[granularity] = bootstrapIntervals([...problems.keys()], seed, over);
  }
  return {
    problems: problems.length,
    rollouts: problems[0]?.length ?? 0,
    steps: sum([...problems.keys()], steps),
    sizes,
    shares,
  };
}

/** @throws {RangeError} if a turn has no state at this granularity */
function statesAt({ id, turns }: Group, granularity: Granularity): readonly string[] {
  return turns.map(({ states }, turn) => {
    const state = states?.[granularity];
    if (state === undefined) throw new RangeError(`group "${id}", turn ${turn}: there is no state "${granularity}"`);
    return state;
  });
}
