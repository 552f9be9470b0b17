import type { Demonstration } from '../../environments/environment.ts';
import type { Scored } from '../rewardModel/pairs.ts';

// μCode's local search expert (Jain et al. 2025, "Multi-Turn Code Generation Through Single-Step Rewards", arXiv
// 2502.20380, Algorithm 1): one turn is enough to write a right program from anywhere, so the best program that was
// written for a problem is what the policy should have written in each of its turns.

/** A program that a policy wrote in a turn. Its score is 1 where it passes all tests. */
export interface Attempt extends Scored {
  /**
   * Tokens that the policy had before the program: the problem, and in later turns the previous program with its
   * feedback.
   */
  readonly before: readonly number[];
  /** Stop token included. */
  readonly written: readonly number[];
}

/** Criteria by which an expert ranks programs. */
export const EXPERTS = ['verifier', 'tests', 'tests-verifier'] as const;
export type Expert = (typeof EXPERTS)[number];

/** Rank of a program, larger is better; undefined if the program must not be imitated. */
const RANK: Readonly<Record<Expert, (right: boolean, verified: number) => number | undefined>> = {
  verifier: (_, verified) => verified,
  tests: (right) => (right ? 1 : undefined),
  // A verifier returns 0 to 1, so any right program ranks before any wrong program.
  'tests-verifier': (right, verified) => (right ? 2 : 0) + verified,
};

/** True if a program passes all tests. */
export function passesAll({ score }: Scored): boolean {
  return score === 1;
}

/**
 * The best program of each problem among those of all its turns; of several that are as good, the first one.
 * @param verified [attempts] what the verifier says of each, from 0 to 1; `tests` does not read it
 * @returns by number of the problem; under `tests` without those for which no right program was written
 */
export function bestPrograms<Item extends Scored>(
  attempts: readonly Item[],
  verified: ArrayLike<number>,
  expert: Expert,
): ReadonlyMap<number, Item> {
  const best = new Map<number, { readonly item: Item; readonly rank: number }>();
  attempts.forEach((item, index) => {
    const rank = RANK[expert](passesAll(item), verified[index]);
    const before = best.get(item.task);
    if (rank !== undefined && !(before && before.rank >= rank)) best.set(item.task, { item, rank });
  });
  return new Map([...best].map(([task, { item }]) => [task, item]));
}

/**
 * Returns the demonstrations that the policy imitates. Each demonstration is the context before a turn, and after it
 * the best program of the turn's problem. There is one demonstration for each sampled turn, so that frequent contexts
 * have a larger weight. Turns of problems without a best program have no demonstration.
 * @returns in the order of the attempts; every token of a program has the weight 1
 */
export function relabelled(
  attempts: readonly Attempt[],
  best: ReadonlyMap<number, Pick<Attempt, 'written'>>,
): readonly Demonstration[] {
  return attempts.flatMap(({ task, before }) => {
    const program = best.get(task)?.written;
    if (!program) return [];
    return [{ tokens: [...before, ...program], weights: [...before.map(() => 0), ...program.map(() => 1)] }];
  });
}
