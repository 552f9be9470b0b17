import type { Demonstration, WarmStartStage } from '../../environments/environment.ts';
import { CounterRandom, itemsOfStep, STREAMS } from '../../random/counter.ts';
import type { Scored } from '../rewardModel/pairs.ts';

/** Number of examples per step, as in the warm start of Repair. */
export const BATCH = 112;
const WARM_UP_STEPS = 20;

/** Settings of the imitation of relabelled turns. */
export interface ImitationPlan {
  /** Number of passes over all examples. */
  readonly epochs: number;
  /** Maximum learning rate, after a linear warm-up and before a cosine decay. */
  readonly learningRate: number;
  readonly seed: number;
}

/**
 * Returns a stage that trains on examples with cross-entropy. Each pass has a different order, which depends only on
 * the seed.
 * @throws {RangeError} if there are no examples
 */
export function imitationStage(
  examples: readonly Demonstration[],
  { epochs, learningRate, seed }: ImitationPlan,
): WarmStartStage {
  if (examples.length === 0) throw new RangeError('imitation needs at least one example');
  const batch = Math.min(BATCH, examples.length);
  const orderOf = (pass: number) => new CounterRandom(seed, STREAMS.imitation, pass).permutation(examples.length);
  return {
    name: 'imitation',
    steps: Math.ceil((epochs * examples.length) / batch),
    batch,
    learningRate,
    warmUpSteps: WARM_UP_STEPS,
    optimizer: { weightDecay: 0.05 },
    demonstrations: (step) => [...itemsOfStep(examples, batch, step, orderOf)],
  };
}

// Local search expert of μCode (Jain et al. 2025, "Multi-Turn Code Generation Through Single-Step Rewards", arXiv
// 2502.20380, Algorithm 1). A right program can be written in one turn from any state. So the best program of a problem
// is the target of each of its turns.

/** Program that a policy wrote in a turn. Its score is 1 if it passes all tests. */
export interface Attempt extends Scored {
  /**
   * Context of the policy before the program: the problem, and in later turns the previous program with its feedback.
   */
  readonly before: readonly number[];
  /** Tokens of the program, including the stop token. */
  readonly written: readonly number[];
}

/** Criteria by which an expert ranks programs. */
export const EXPERTS = ['verifier', 'tests', 'tests-verifier'] as const;
export type Expert = (typeof EXPERTS)[number];

/** Rank of a program by expert. A larger rank is better; undefined if the program must not be imitated. */
const RANK: Readonly<Record<Expert, (right: boolean, verified: number) => number | undefined>> = {
  verifier: (_, verified) => verified,
  tests: (right) => (right ? 1 : undefined),
  // A verifier returns 0 to 1, so any right program ranks before any wrong program.
  'tests-verifier': (right, verified) => (right ? 2 : 0) + verified,
};

/** Returns true if a program passes all tests. */
export function passesAll({ score }: Scored): boolean {
  return score === 1;
}

/**
 * Returns the best program of each problem over all its turns; among programs of equal rank, the first one.
 * @param verified [attempts] score of the verifier, 0 to 1; the expert `tests` does not read it
 * @returns programs by number of the problem. The expert `tests` omits problems without a right program
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
 * Returns the demonstrations that the policy imitates: the context before a turn, followed by the best program of its
 * problem. Each sampled turn has one demonstration, so frequent contexts have a larger weight. Turns of problems
 * without a best program have none.
 * @returns demonstrations in the order of the attempts, with weight 1 for each token of a program
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
