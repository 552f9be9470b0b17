import type { ListParameter, Values } from '../../parameters/parameters.ts';
import { checkParents, childrenOf, type Group } from '../../rollouts/forest.ts';
import { CreditError } from '../creditError.ts';
import { checkReward } from './chains.ts';

// Response groups: turns that were sampled from the same context and are therefore compared with each other. The first
// turns of a group form one response group. The children of a turn, its refinements, form another.

export interface ResponseGroup {
  /** Turn that the members continue, -1 for first turns. */
  readonly parent: number;
  /** s, the position of the members in their paths, from 1. */
  readonly turn: number;
  /** Indices of turns, ascending. */
  readonly members: readonly number[];
}

/**
 * Returns the response groups of a group, in the order of the turns that they continue. Each response group follows the
 * response group of its parent.
 * @throws {CreditError} for a reward that is not finite
 * @throws {ForestError} for a parent that is not an earlier turn
 */
export function responseGroups(group: Group): readonly ResponseGroup[] {
  group.turns.forEach(({ reward }, turn) => {
    checkReward(group.id, turn, reward);
  });
  checkParents(group);
  const children = childrenOf(group);
  const positions: number[] = [];
  for (const { parent } of group.turns) positions.push(parent < 0 ? 1 : positions[parent] + 1);
  const first = [...positions.keys()].filter((turn) => positions[turn] === 1);
  return [
    { parent: -1, turn: 1, members: first },
    ...children.map((members, parent) => ({ parent, turn: positions[parent] + 1, members })),
  ].filter(({ members }) => members.length > 0);
}

/**
 * Returns S, the turn budget.
 * @param maxTurns S of the environment; 0 means the deepest turn of the group
 * @throws {CreditError} that names the first turn beyond maxTurns
 */
export function turnBudget(group: Group, groups: readonly ResponseGroup[], maxTurns: number): number {
  if (maxTurns === 0) return groups.reduce((deepest, { turn }) => Math.max(deepest, turn), 0);
  const beyond = groups.filter(({ turn }) => turn > maxTurns).sort((a, b) => a.members[0] - b.members[0]);
  if (beyond.length > 0) throw budgetError(group.id, beyond[0].members[0], beyond[0].turn, maxTurns);
  return maxTurns;
}

/** Creates the error for a turn beyond the turn budget. @param position s, from 1 */
export function budgetError(group: string, turn: number, position: number, maxTurns: number): CreditError {
  return new CreditError(group, turn, 'parent', `this is turn ${position} of its path, beyond maxTurns ${maxTurns}`);
}

// Murphy's pruning (IntraP and InterP): selects the turns of a feedback tree for training, by their immediate rewards,
// before any backup.
//
// Two scores tie if their float64 numbers are equal. Sums follow the order of the turns. The first member wins a tie.
// There is no tolerance: 0.11 is the variance, on paper, of three of the six refinement groups of prune-0 in
// credit.json. The rule retains the two groups for which float64 gives 0.11000000000000003. It drops the group whose
// parent has a lower index, for which float64 gives 0.11000000000000001. A tolerance of 1e-16 or more would retain that
// group. float32 cannot distinguish these numbers. The GPU therefore receives the float64 scores of this file and ranks
// them by their bits (pruningStages.ts).

/** Maximum number of turn numbers in a list. */
export const LISTED = 8;
const MAX_RETAINED = 65536;

export const INTRA = {
  kind: 'list',
  name: 'intra',
  label: 'Members kept (IntraP)',
  symbol: 'm',
  default: '',
  max: MAX_RETAINED,
  maximum: LISTED,
  help: 'Turn by turn from the first, how many of a response group are trained on: those whose rewards lie farthest from its mean. Turns without a number keep all.',
} as const satisfies ListParameter;

export const INTER = {
  kind: 'list',
  name: 'inter',
  label: 'Refinements kept (InterP)',
  symbol: 'p',
  default: '',
  max: MAX_RETAINED,
  maximum: LISTED,
  help: 'Turn by turn from the second, how many of the response groups of a prompt are trained on: those whose rewards vary most. Turns without a number keep all.',
} as const satisfies ListParameter;

/** Values m_s and p_s by turn number. Turns beyond the end of a list retain all members or groups. */
export type PruningValues = Values<readonly [typeof INTRA, typeof INTER]>;

/** Formulas of the pruning, for `CreditRule.formula`. */
export const PRUNING_FORMULA = [
  'IntraP: of a response group at turn s the m_s members with the largest (R_i − mean R)² are retained, with the rest their continuations go',
  'InterP: of the refinement groups at turn s the p_s with the largest variance of R are retained',
] as const;

/**
 * Selects the turns of a group for training. A turn is retained if both IntraP and InterP retain it. Each pruning is
 * computed on all turns.
 * @returns [turns]
 */
export function retainedTurns(
  group: Group,
  groups: readonly ResponseGroup[],
  { intra: m, inter: p }: PruningValues,
): readonly boolean[] {
  const reward = group.turns.map((turn) => turn.reward);
  const intra = retainByIntraP(reward, groups, m);
  const inter = retainByInterP(reward, groups, p);
  return reward.map((_, turn) => intra[turn] && inter[turn]);
}

/**
 * Applies IntraP: each response group at turn s retains the m_s members with the largest (R_i - mean R)^2.
 * @param m [turn numbers] m_1, m_2, ...; turns after the end of the list retain all members
 * @returns [turns]
 */
function retainByIntraP(
  reward: readonly number[],
  groups: readonly ResponseGroup[],
  m: readonly number[],
): readonly boolean[] {
  const retained = reward.map(() => false);
  for (const { parent, turn, members } of groups) {
    if (parent >= 0 && !retained[parent]) continue;
    const selected = largest(deviations(reward, members), m[turn - 1] ?? members.length);
    members.forEach((member, position) => {
      retained[member] = selected[position];
    });
  }
  return retained;
}

/**
 * Applies InterP: of the refinement groups at turn s with retained parents, retains the p_s groups with the largest
 * variance.
 * @param p [turn numbers - 1] p_2, p_3, ...; turns after the end of the list retain all groups
 * @returns [turns]
 */
function retainByInterP(
  reward: readonly number[],
  groups: readonly ResponseGroup[],
  p: readonly number[],
): readonly boolean[] {
  const retained = reward.map(() => false);
  byTurn(groups).forEach((rivals, index) => {
    const left = rivals.filter(({ parent }) => parent < 0 || retained[parent]);
    const scores = left.map(({ members }) => variance(deviations(reward, members)));
    const selected = largest(scores, p[index - 1] ?? left.length);
    left.forEach(({ members }, position) => {
      if (selected[position]) for (const member of members) retained[member] = true;
    });
  });
  return retained;
}

/** Lists response groups by turn number, in one pass: a chain may have as many turn numbers as response groups. */
function byTurn(groups: readonly ResponseGroup[]): readonly (readonly ResponseGroup[])[] {
  const turns: ResponseGroup[][] = [];
  for (const group of groups) {
    turns[group.turn - 1] ??= [];
    turns[group.turn - 1].push(group);
  }
  return turns;
}

/** Marks the `count` largest scores. Of equal scores, the first are marked. */
function largest(scores: ArrayLike<number>, count: number): readonly boolean[] {
  const order = Array.from(scores, (_, position) => position);
  if (count >= order.length) return order.map(() => true);
  order.sort((a, b) => scores[b] - scores[a]);
  const selected = new Set(order.slice(0, count));
  return order.map((_, position) => selected.has(position));
}

/** Computes (R_i - mean R)^2 of each member. The mean is over all members, retained or not. */
export function deviations(reward: ArrayLike<number>, members: ArrayLike<number>): Float64Array {
  const squares = new Float64Array(members.length);
  let sum = 0;
  for (let i = 0; i < squares.length; i++) sum += reward[members[i]];
  const mean = sum / squares.length;
  for (let i = 0; i < squares.length; i++) squares[i] = (reward[members[i]] - mean) * (reward[members[i]] - mean);
  return squares;
}

/** Computes the population variance from squared deviations. */
export function variance(squares: Float64Array): number {
  let sum = 0;
  for (const square of squares) sum += square;
  return sum / squares.length;
}
