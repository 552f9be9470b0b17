import type { TableRewards } from './payoutTable.ts';

/** Policy in one table as probabilities of actions. Each list sums to 1. */
export interface ActionProbabilities {
  /** Probabilities of the first action, [first action]. */
  readonly first: readonly number[];
  /**
   * Probabilities of the second action, [first action][second action]. The policy observes the effect of the first
   * action.
   */
  readonly second: readonly (readonly number[])[];
}

/** Values of all states and actions under a policy, in the unit of the rewards. */
export interface ExactValues {
  /** V of the start: expected return of an episode. */
  readonly value: number;
  /** Q of the first turn, Q(start, first), [first action]. */
  readonly firstQ: readonly number[];
  /** True advantage of the first turn, Q(start, first) − V(start), [first action]. */
  readonly firstAdvantage: readonly number[];
  /** V of the state after the first action, [first action]. */
  readonly secondValue: readonly number[];
  /** Q of the second turn, [first action][second action]. */
  readonly secondQ: readonly (readonly number[])[];
  /** True advantage of the second turn, [first action][second action]. */
  readonly secondAdvantage: readonly (readonly number[])[];
}

/** Rewards that count in a return. */
export interface ReturnCounts {
  /** Discount factor per turn. */
  readonly gamma?: number;
  /** True if the reward of the first turn counts, too. If false, only the outcome counts. */
  readonly rewards?: boolean;
}

/**
 * Computes the exact values of a policy in a table. The computation covers all nine paths of two turns with three
 * actions.
 *
 * An episode samples a first action a and receives the reward r(a). It then samples a second action b, which may depend
 * on a, and receives the outcome o(a, b) with probability p, else 0. The Bellman equations of these two turns need no
 * further sums:
 *
 *   Q₂(a, b) = p · o(a, b)                  the expected outcome
 *   V₂(a)    = Σ_b π₂(b | a) Q₂(a, b)
 *   Q₁(a)    = r(a) + γ V₂(a)               without rewards: γ V₂(a)
 *   V₁       = Σ_a π₁(a) Q₁(a) = Σ_{a,b} π₁(a) π₂(b | a) [r(a) + γ p · o(a, b)]
 *   A₁(a)    = Q₁(a) − V₁,   A₂(a, b) = Q₂(a, b) − V₂(a)
 *
 * In every state, the mean advantage under the policy is 0: Σ_a π₁(a) A₁(a) = 0 and Σ_b π₂(b | a) A₂(a, b) = 0.
 *
 * Source: Sutton and Barto, Reinforcement Learning, 2018, equations 3.12 to 3.14.
 * @param policy probabilities of actions, not of tokens: the sum over all tokens that represent an action. The second
 *   turn can depend on the token of the first. In this case `second` is the mean over the tokens of the first action,
 *   weighted by their probabilities. The values are then values of actions
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

/**
 * Checks the probabilities of actions.
 * @throws {RangeError} for probabilities that are negative or do not sum to 1 within 1e-6
 */
export function checkProbabilities(probabilities: readonly number[], name: string): void {
  const sum = probabilities.reduce((total, probability) => total + probability, 0);
  if (probabilities.every((probability) => probability >= 0) && Math.abs(sum - 1) <= 1e-6) return;
  throw new RangeError(`${name}: [${probabilities.join(', ')}] are no probabilities that sum to 1`);
}
