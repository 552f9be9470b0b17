import { passAtK } from '../environments/repair/evaluation.ts';
import { GRANULARITIES, type Granularity } from '../environments/repo/granularity.ts';
import type { Group } from '../rollouts/forest.ts';
import { bootstrap, DRAWS, type Interval, interval } from './truth/trueAdvantages.ts';

/** Share of the steps in states that two or more rollouts of a group reached. */
export interface SharingReport {
  readonly problems: number;
  /** Rollouts of each problem that were played. */
  readonly rollouts: number;
  readonly steps: number;
  /** Sizes of groups, in the order of the shares. */
  readonly sizes: readonly number[];
  /** [sizes] by granularity; intervals draw whole problems. */
  readonly shares: Readonly<Record<Granularity, readonly Interval[]>>;
}

/** States of the rollouts of one problem, before each step: [rollouts][steps]. */
export type States = readonly (readonly string[])[];

/**
 * Shared steps of the rollouts of one problem in groups of each size, as the mean over all groups of that size that can be
 * chosen from them. A step whose state v of the N rollouts came by is shared in a group of G that has its rollout where
 * one of the other v - 1 is among the other G - 1: 1 - C(N - v, G - 1) / C(N - 1, G - 1).
 * @param sizes from 2 to N
 * @returns [sizes] numbers of steps, of all steps of the N rollouts
 */
export function sharedSteps(states: States, sizes: readonly number[]): number[] {
  const visitors = new Map<string, number>();
  for (const path of states) for (const state of new Set(path)) visitors.set(state, (visitors.get(state) ?? 0) + 1);
  const visitCounts = states.flat().map((state) => (visitors.get(state) ?? 0) - 1);
  return sizes.map((size) => visitCounts.reduce((sum, met) => sum + passAtK(states.length - 1, met, size - 1), 0));
}

/**
 * Shares over all steps of several problems, at every granularity of the repository environment.
 * @param problems [problems][rollouts] groups of one rollout; of each problem as many, and no fewer than the largest size
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
    const members = [...problems.keys()];
    const drawn = bootstrap(members, DRAWS, seed, over);
    shares[granularity] = over(members).map((value, size) =>
      interval(
        value,
        drawn.map((draw) => draw[size]),
      ),
    );
  }
  return {
    problems: problems.length,
    rollouts: problems[0]?.length ?? 0,
    steps: sum([...problems.keys()], steps),
    sizes,
    shares,
  };
}

/** @throws {RangeError} naming the turn that has no such state */
function statesAt({ id, turns }: Group, granularity: Granularity): readonly string[] {
  return turns.map(({ states }, turn) => {
    const state = states?.[granularity];
    if (state === undefined) throw new RangeError(`group "${id}", turn ${turn}: there is no state "${granularity}"`);
    return state;
  });
}
