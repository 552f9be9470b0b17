import type { ParameterValues } from '../../parameters/parameters.ts';
import { childrenOf, type Group } from '../../rollouts/forest.ts';

/**
 * Shared result of the members of a degenerate group: all have the best possible outcome, all have the worst, or
 * neither.
 */
export type Tie = 'best' | 'worst' | 'other';

/** Function of a credit rule that returns the rewards that the rule compares; see `CreditRule.compared`. */
export interface Comparing {
  compared(group: Group, parameters: ParameterValues): readonly ArrayLike<number>[];
}

/** The outcomes that a task can end with. */
export interface OutcomeRange {
  readonly bestOutcome: number;
  readonly worstOutcome: number;
}

/** Shares of all groups, 0..1; `degenerate` holds the other three. NaN without groups. */
export interface Degenerate {
  /** [groups]: undefined where the group is not degenerate. */
  readonly ties: readonly (Tie | undefined)[];
  readonly degenerate: number;
  readonly best: number;
  readonly worst: number;
  readonly none: number;
}

// Sums of rewards that are equal on paper may differ in the last bits: 0.1 + 0.2 and 0.3.
const TOLERANCE = 1e-9;

/**
 * Finds the groups that have the same reward everywhere under a rule, and so give no gradient, and the kind of their
 * ties.
 * @throws {CreditError} for a group that the rule cannot read.
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
 * The kind of tie of a group, or undefined if the rule has something to compare.
 * @throws {CreditError} for a group that the rule cannot read.
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
