import { childrenOf, type Group, type Turn, trajectories } from '../../rollouts/forest.ts';
import { some } from '../../rollouts/quoting.ts';
import { CreditError } from '../creditError.ts';

/** One trajectory of a group: K turns, of which the last carries the outcome. */
export interface Chain {
  /** [K]: indices of the turns in their group, in order; never empty. */
  readonly turns: readonly number[];
  /** R^O, the trajectory's reward. */
  readonly outcome: number;
}

/**
 * The trajectories of a group, for rules that need groups without branches, in the order of their first turns.
 * @throws {CreditError} naming group, turn and field: a turn with two children, a last turn without an outcome, a
 *   reward or an outcome that is not finite.
 * @throws {ForestError} for a parent that is not an earlier turn of the group.
 */
export function chains(group: Group): readonly Chain[] {
  return paths(group).map((turns) => {
    const last = turns[turns.length - 1];
    const { outcome } = group.turns[last];
    return { turns, outcome: checkOutcome(group.id, last, outcome ?? NaN) };
  });
}

/**
 * Paths of turns from a first turn to a leaf; outcomes are not asked for.
 * @throws as chains() does
 */
export function paths(group: Group): readonly (readonly number[])[] {
  group.turns.forEach(({ reward }, turn) => {
    checkReward(group.id, turn, reward);
  });
  return trajectories(group, branchError);
}

/**
 * Returns the last turns of the rollouts of a tree: the turns that nothing continues, in order, and R^O of each.
 * @throws {CreditError} for an outcome that is missing or not finite
 */
export function findLeafTurns(group: Group): {
  readonly last: readonly number[];
  readonly outcomes: readonly number[];
} {
  const last = childrenOf(group).flatMap((children, turn) => (children.length === 0 ? [turn] : []));
  return { last, outcomes: last.map((turn) => checkOutcome(group.id, turn, group.turns[turn].outcome ?? NaN)) };
}

/** @throws {CreditError} for a reward that is not finite */
export function checkReward(group: string, turn: number, reward: number): void {
  if (!Number.isFinite(reward)) throw new CreditError(group, turn, 'reward', `${reward} is not a finite number`);
}

/** @throws {CreditError} for an outcome that is missing (NaN) or not finite */
export function checkOutcome(group: string, turn: number, outcome: number): number {
  if (Number.isFinite(outcome)) return outcome;
  const problem = Number.isNaN(outcome)
    ? 'missing on the last turn of a trajectory'
    : `${outcome} is not a finite number`;
  throw new CreditError(group, turn, 'outcome', problem);
}

/** @throws {CreditError} for a number of tokens that is not a whole number above 0 */
export function checkTokens(group: string, turn: number, { tokens }: Turn): number {
  if (Number.isInteger(tokens) && Number(tokens) > 0) return Number(tokens);
  throw new CreditError(group, turn, 'tokens', `${tokens ?? 'missing'}: this rule needs a whole number above 0`);
}

/** @throws {CreditError} for a turn without tokens, or without one finite value for each */
export function checkValues(group: string, turn: number, turnData: Turn): readonly number[] {
  const { values } = turnData;
  const tokens = checkTokens(group, turn, turnData);
  if (!Array.isArray(values) || values.length !== tokens) {
    const actual = Array.isArray(values) ? `${values.length} numbers` : 'missing';
    throw new CreditError(group, turn, 'values', `${actual}; each of the turn's ${tokens} tokens needs one`);
  }
  const bad = values.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) throw new CreditError(group, turn, 'values', `[${bad}] is ${values[bad]}, not a finite number`);
  return values;
}

/** @throws {CreditError} for a turn without the log-probability of the right answer, or with one above 0 */
export function checkAnswerLogProb(group: string, turn: number, { answerLogProb }: Turn): number {
  const why = 'this rule pays a turn by what it makes the right answer more probable';
  return checkLogProbability(group, turn, 'answerLogProb', answerLogProb, why);
}

/** @throws {CreditError} for a turn without the log-probability of its tokens, or with one above 0 */
export function checkLogProb(group: string, turn: number, { logProb }: Turn): number {
  const why = 'this rule weights a turn by how probable the policy found it';
  return checkLogProbability(group, turn, 'logProb', logProb, why);
}

function checkLogProbability(group: string, turn: number, field: string, value: unknown, why: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value <= 0) return value;
  const problem = value === undefined ? 'missing' : `${JSON.stringify(value)} is no log-probability`;
  throw new CreditError(group, turn, field, `${problem}; ${why}`);
}

/** @throws {CreditError} for a turn without the mean return of what was played on from before it */
export function checkStateValue(group: string, turn: number, { stateValue }: Turn): number {
  if (typeof stateValue === 'number' && Number.isFinite(stateValue)) return stateValue;
  const problem = stateValue === undefined ? 'missing' : `${JSON.stringify(stateValue)} is not a finite number`;
  throw new CreditError(
    group,
    turn,
    'stateValue',
    `${problem}; this rule takes the mean return of episodes that continue from before the turn`,
  );
}

/** The refusal of a turn that several others continue. */
export function branchError(
  group: Group,
  turn: number,
  children: readonly number[] = childrenOf(group)[turn],
): CreditError {
  const problem = `this rule needs trajectories, but turns ${some(children)} all continue this turn`;
  return new CreditError(group.id, turn, 'parent', problem);
}

/** The intermediate turns of a chain (R^I): all turns except the last, whose reward is the outcome. */
export function intermediateTurns(chain: Chain): readonly number[] {
  return chain.turns.slice(0, -1);
}

/**
 * The turns at the same position of their trajectories: level l holds turn l of every trajectory in which it is an
 * intermediate turn (l < K_i), in the order of the trajectories.
 */
export function turnLevels(all: readonly Chain[]): readonly (readonly number[])[] {
  const levels: number[][] = [];
  for (const chain of all) {
    intermediateTurns(chain).forEach((turn, level) => {
      levels[level] ??= [];
      levels[level].push(turn);
    });
  }
  return levels;
}

/** Lists the turns that trajectories have at the same position, last turns too. @returns [positions][turns] */
export function turnPositions(all: readonly Chain[]): readonly (readonly number[])[] {
  const longest = all.reduce((length, { turns }) => Math.max(length, turns.length), 0);
  return Array.from({ length: longest }, (_, k) => all.flatMap(({ turns }) => turns.slice(k, k + 1)));
}

/**
 * The turns that are compared with one another: `leave`, those of a level that there are; otherwise one for each rollout of
 * the group, with -1 for one that stopped before the level.
 */
export function comparedTurns(
  all: readonly Chain[],
  absent: 'leave' | 'zero' | 'leave-one-out',
): readonly (readonly number[])[] {
  const levels = turnLevels(all);
  if (absent === 'leave') return levels;
  return levels.map((_, level) => all.map((chain) => intermediateTurns(chain)[level] ?? -1));
}

/** Gives each turn the value of its trajectory. @returns [turns] */
export function broadcastToTurns(
  group: Group,
  all: readonly { readonly turns: readonly number[] }[],
  value: (index: number) => number,
): Float64Array {
  const result = new Float64Array(group.turns.length);
  for (let index = 0; index < all.length; index++) {
    const trajectoryValue = value(index);
    for (const turn of all[index].turns) result[turn] = trajectoryValue;
  }
  return result;
}
