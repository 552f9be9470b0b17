import type { TableRewards } from './payoutTable.ts';

/** A policy in one table: the probability of each action; each list sums to 1. */
export interface ActionProbabilities {
  /** [first action] */
  readonly first: readonly number[];
  /** [first action][second action]: the second turn sees what the first action did. */
  readonly second: readonly (readonly number[])[];
}

/** Values of every state and action under a policy, in the unit of the rewards. */
export interface ExactValues {
  /** Expected return of an episode: V of its start. */
  readonly value: number;
  /** [first action] Q(start, first). */
  readonly firstQ: readonly number[];
  /** [first action] Q(start, first) − V(start): the true advantage of the first turn. */
  readonly firstAdvantage: readonly number[];
  /** [first action] V of the state behind it. */
  readonly secondValue: readonly number[];
  /** [first action][second action] Q of the second turn. */
  readonly secondQ: readonly (readonly number[])[];
  /** [first action][second action] the true advantage of the second turn. */
  readonly secondAdvantage: readonly (readonly number[])[];
}

/** Rewards that a return includes. */
export interface ReturnCounts {
  /** Factor of what comes a turn later. */
  readonly gamma?: number;
  /** Also the first turn's own reward; without it the outcome alone. */
  readonly rewards?: boolean;
}

/**
 * The values of a policy in a table of two turns and three actions, exact: all nine paths are counted.
 *
 * An episode takes a first action a and gets the reward r(a). It then takes a second action b that may depend on a, and
 * gets the outcome o(a, b) with probability p, else 0. The Bellman equations of these two turns have no further sums:
 *
 *   Q₂(a, b) = p · o(a, b)                  the expected outcome
 *   V₂(a)    = Σ_b π₂(b | a) Q₂(a, b)
 *   Q₁(a)    = r(a) + γ V₂(a)               without rewards: γ V₂(a)
 *   V₁       = Σ_a π₁(a) Q₁(a) = Σ_{a,b} π₁(a) π₂(b | a) [r(a) + γ p · o(a, b)]
 *   A₁(a)    = Q₁(a) − V₁,   A₂(a, b) = Q₂(a, b) − V₂(a)
 *
 * Advantages average to 0 under the policy, in every state: Σ_a π₁(a) A₁(a) = 0 and Σ_b π₂(b | a) A₂(a, b) = 0.
 *
 * Source: Sutton and Barto, Reinforcement Learning, 2018, equations 3.12 to 3.14.
 * @param policy probabilities of the actions, not of tokens: the sum over all tokens that represent an action. A policy
 *   sees the token that it wrote. If that changes its second turn, `second` is the mean over the tokens of the first
 *   action, weighted by their probabilities. The values are then those of actions
 * @throws {RangeError} for probabilities that are negative or do not sum to 1 within 1e-6
 */
export function exactValues(
  { reward, outcome, chance }: TableRewards,
  { first, second }: ActionProbabilities,
  { gamma = 1, rewards = true }: ReturnCounts = {},
): ExactValues {
  checkProbabilities(first, 'policy.first');
  second.forEach((probabilities, action) => {
    checkProbabilities(probabilities, `policy.second[${action}]`);
  });
  const secondQ = outcome.map((row) => row.map((amount) => chance * amount));
  const secondValue = secondQ.map((row, action) => expectation(second[action], row));
  const firstQ = secondValue.map((nextValue, action) => (rewards ? reward[action] : 0) + gamma * nextValue);
  const value = expectation(first, firstQ);
  return {
    value,
    firstQ,
    firstAdvantage: firstQ.map((q) => q - value),
    secondValue,
    secondQ,
    secondAdvantage: secondQ.map((row, action) => row.map((q) => q - secondValue[action])),
  };
}

function expectation(probabilities: readonly number[], values: readonly number[]): number {
  return values.reduce((sum, value, index) => sum + probabilities[index] * value, 0);
}

/** @throws {RangeError} for probabilities that are negative or do not sum to 1 within 1e-6 */
export function checkProbabilities(probabilities: readonly number[], name: string): void {
  const sum = probabilities.reduce((total, probability) => total + probability, 0);
  if (probabilities.every((probability) => probability >= 0) && Math.abs(sum - 1) <= 1e-6) return;
  throw new RangeError(`${name}: [${probabilities.join(', ')}] are no probabilities that sum to 1`);
}
