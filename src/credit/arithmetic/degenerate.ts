import type { ParameterValues } from '../../parameters/parameters.ts';
import { childrenOf, type Group } from '../../rollouts/forest.ts';

/** Kind of a degenerate group: all rollouts have the best possible outcome, all have the worst, or neither applies. */
export type Tie = 'best' | 'worst' | 'other';

/** Part of a credit rule that returns the rewards that the rule compares; see `CreditRule.compared`. */
export interface Comparing {
  compared(group: Group, parameters: ParameterValues): readonly ArrayLike<number>[];
}

/** Range of the outcomes of a task. */
export interface OutcomeRange {
  readonly bestOutcome: number;
  readonly worstOutcome: number;
}

/**
 * Shares of degenerate groups among all groups, 0 to 1; NaN without groups. `degenerate` is the sum of the other
 * shares.
 */
export interface Degenerate {
  /** Kind of tie of each group [groups], undefined if the group is not degenerate. */
  readonly ties: readonly (Tie | undefined)[];
  readonly degenerate: number;
  readonly best: number;
  readonly worst: number;
  readonly none: number;
}

// Sums of rewards that are equal on paper may differ in the last bits: 0.1 + 0.2 and 0.3.
const TOLERANCE = 1e-9;

/**
 * Finds the groups in which all rewards that a rule compares are equal, and the kinds of their ties. Such groups give
 * no gradient.
 * @throws {CreditError} for a group that the rule cannot read
 */
export function degenerate(
  groups: readonly Group[],
  rule: Comparing,
  parameters: ParameterValues,
  range: OutcomeRange,
): Degenerate {
  const ties = groups.map((group) => tieOf(group, rule, parameters, range));
  const share = (kind: Tie | undefined) => ties.filter((tie) => tie === kind).length / groups.length;
  return { ties, degenerate: 1 - share(undefined), best: share('best'), worst: share('worst'), none: share('other') };
}

/**
 * Returns the kind of tie of a group, or undefined if the group is not degenerate under the rule.
 * @throws {CreditError} for a group that the rule cannot read
 */
export function tieOf(
  group: Group,
  rule: Comparing,
  parameters: ParameterValues,
  range: OutcomeRange,
): Tie | undefined {
  const compared = rule.compared(group, parameters);
  if (compared.length === 0 || !compared.every(tied)) return undefined;
  const children = childrenOf(group);
  const leaves = group.turns.filter((_, turn) => children[turn].length === 0);
  if (leaves.length === 0) return 'other';
  const { bestOutcome, worstOutcome } = range;
  if (leaves.every(({ solved, outcome = NaN }) => solved === true || outcome >= bestOutcome)) return 'best';
  if (leaves.every(({ solved, outcome = NaN }) => solved !== true && outcome <= worstOutcome)) return 'worst';
  return 'other';
}

function tied(x: ArrayLike<number>): boolean {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < x.length; i++) {
    low = Math.min(low, x[i]);
    high = Math.max(high, x[i]);
  }
  return x.length === 0 || high - low <= TOLERANCE * Math.max(1, Math.abs(low), Math.abs(high));
}
