import type { ListParameter, Values } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';
import type { ResponseGroup } from './responseGroups.ts';

// Murphy's pruning (IntraP and InterP): selects the turns of a feedback tree that are trained on, by their immediate
// rewards, before any backup.
//
// Ties are equal float64 numbers, of sums in the order of the turns. The first member wins a tie. There is no
// tolerance: 0.11 is the variance, on paper, of three of the six refinement groups of prune-0 in credit.json. The rule
// retains the two groups for which float64 gives 0.11000000000000003. It drops the one, with a lower parent, for which
// float64 gives 0.11000000000000001. Any tolerance of 1e-16 or more would retain that group. float32 cannot distinguish
// these numbers, so the GPU gets the float64 scores that are computed here and ranks them by their bits
// (pruningStages.ts).

/** Turn numbers that a list may name. */
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

/** m_s and p_s, turn by turn; turns beyond the end of a list keep all. */
export type PruningValues = Values<readonly [typeof INTRA, typeof INTER]>;

/** Lines about pruning in the formulas of the rules. */
export const PRUNING_FORMULA = [
  'IntraP: of a response group at turn s the m_s members with the largest (R_i − mean R)² are retained, with the rest their continuations go',
  'InterP: of the refinement groups at turn s the p_s with the largest variance of R are retained',
] as const;

/**
 * Selects the turns of a group that are trained on: those that every enabled pruning retains. Each pruning is computed
 * on all turns.
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
 * IntraP: each response group at turn s retains the m_s members with the largest (R_i - mean R)^2.
 * @param m [turn numbers] m_1, m_2, ...; all members are retained for turns after the end of the list
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
 * InterP: of the refinement groups at turn s whose parents are retained, retains the p_s with the largest variance.
 * @param p [turn numbers - 1] p_2, p_3, ...; all groups are retained for turns after the end of the list
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

/** The response groups of turn 1, of turn 2 and so on, each in their order: a chain may have as many turns as groups. */
function byTurn(groups: readonly ResponseGroup[]): readonly (readonly ResponseGroup[])[] {
  const turns: ResponseGroup[][] = [];
  for (const group of groups) {
    turns[group.turn - 1] ??= [];
    turns[group.turn - 1].push(group);
  }
  return turns;
}

/** Marks the `count` largest of the scores; of equal scores, the first ones. */
function largest(scores: ArrayLike<number>, count: number): readonly boolean[] {
  const order = Array.from(scores, (_, position) => position);
  if (count >= order.length) return order.map(() => true);
  order.sort((a, b) => scores[b] - scores[a]);
  const selected = new Set(order.slice(0, count));
  return order.map((_, position) => selected.has(position));
}

/** (R_i - mean R)^2 of each member; the mean over all members, retained or not. */
export function deviations(reward: ArrayLike<number>, members: ArrayLike<number>): Float64Array {
  const squares = new Float64Array(members.length);
  let sum = 0;
  for (let i = 0; i < squares.length; i++) sum += reward[members[i]];
  const mean = sum / squares.length;
  for (let i = 0; i < squares.length; i++) squares[i] = (reward[members[i]] - mean) * (reward[members[i]] - mean);
  return squares;
}

/** Population variance. */
export function variance(squares: Float64Array): number {
  let sum = 0;
  for (const square of squares) sum += square;
  return sum / squares.length;
}
