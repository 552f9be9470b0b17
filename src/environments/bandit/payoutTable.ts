import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Vocabulary } from '../environment.ts';
import { type BanditRewards, MAX_TABLES } from './banditSettings.ts';

/** Number of actions per turn. */
export const ACTIONS = 3;

/** Effects of a first action on the outcome, in the order of their tokens. */
export const EFFECTS = ['spoiled', 'enabled', 'nothing'] as const;
export type Effect = (typeof EFFECTS)[number];

const ACTION_NAMES = ['a', 'b', 'c'] as const;
const TABLE_NAMES = Array.from({ length: MAX_TABLES }, (_, table) => `t${table}`);
const MARKUP_NAMES = ['<table>', '</turn>'] as const;

export const FIRST_TABLE = ACTIONS;
export const FIRST_EFFECT = FIRST_TABLE + MAX_TABLES;
const FIRST_MARKUP = FIRST_EFFECT + EFFECTS.length;
/** Token before the table in the prompt. */
export const TABLE = FIRST_MARKUP;
/** Token at the end of the reply. */
export const TURN_END = FIRST_MARKUP + 1;

/**
 * The 12 tokens: actions a b c, tables t0..t3, effects, markup. The size is a multiple of three, so that each action
 * has the same number of tokens (`actionOf`).
 */
export const BANDIT_VOCABULARY: Vocabulary = {
  size: FIRST_MARKUP + MARKUP_NAMES.length,
  names: [...ACTION_NAMES, ...TABLE_NAMES, ...EFFECTS, ...MARKUP_NAMES],
  kind: tokenKind,
};

function tokenKind(token: number): string {
  if (!Number.isInteger(token) || token < 0 || token >= BANDIT_VOCABULARY.size) {
    throw new RangeError(`${token} is not a token of the bandit (0 to ${BANDIT_VOCABULARY.size - 1})`);
  }
  if (token < FIRST_TABLE) return 'action';
  if (token < FIRST_EFFECT) return 'table';
  return token < FIRST_MARKUP ? 'effect' : 'markup';
}

/**
 * Returns the action that a token represents: the token number modulo three. No token is invalid, which matters for
 * policies with random weights. The probability of an action is the sum over its tokens.
 */
export function actionOf(token: number): number {
  return token % ACTIONS;
}

/** Returns the displayed name of an action: `a`, `b` or `c`. */
export function actionName(action: number): string {
  return ACTION_NAMES[action];
}

/** Effects of the first actions of a table, and its right second action. */
export interface PayoutTable {
  readonly index: number;
  /** Effect on the outcome, [first action]. Each effect belongs to one action. */
  readonly effects: readonly Effect[];
  /** Second action that collects the prize. */
  readonly right: number;
}

/** Rewards of the actions of a table, and the probability that an outcome is given. */
export interface TableRewards {
  /** Immediate reward, [first action]. */
  readonly reward: readonly number[];
  /** Outcome if it is given, [first action][second action]. */
  readonly outcome: readonly (readonly number[])[];
  /** Probability that an outcome is given, 0 to 1. Otherwise the outcome is 0. */
  readonly chance: number;
}

/** Draws the tables of a world: the effects of the first actions, and the right second action. */
export function payoutTables(count: number, worldSeed: number): readonly PayoutTable[] {
  return Array.from({ length: count }, (_, index) => {
    const random = new CounterRandom(worldSeed, STREAMS.world, index);
    const effects = random.permutation(ACTIONS).map((effect) => EFFECTS[effect]);
    return { index, effects, right: random.integer(ACTIONS) };
  });
}

/**
 * Returns the rewards of a table.
 * @param chance probability that an outcome is given, 0 to 1
 */
export function computeTableRewards({ effects, right }: PayoutTable, rewards: BanditRewards, chance = 1): TableRewards {
  const atOnce: Readonly<Record<Effect, number>> = {
    spoiled: rewards.rewardBait,
    enabled: rewards.rewardKey,
    nothing: 0,
  };
  const outcomes: Readonly<Record<Effect, number>> = {
    spoiled: 0,
    enabled: rewards.outcomePrize,
    nothing: rewards.outcomeCrumb,
  };
  return {
    reward: effects.map((effect) => atOnce[effect]),
    outcome: effects.map((effect) =>
      Array.from({ length: ACTIONS }, (_, action) => (action === right ? outcomes[effect] : 0)),
    ),
    chance,
  };
}

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
