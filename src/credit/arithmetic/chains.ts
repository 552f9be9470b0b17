import { childrenOf, type Group, type Turn, trajectories } from '../../rollouts/forest.ts';
import { some } from '../../rollouts/quoting.ts';
import { CreditError } from '../creditError.ts';

/** Trajectory of a group: K turns, of which the last has the outcome. */
export interface Chain {
  /** Indices of the turns in their group, in order [K]; never empty. */
  readonly turns: readonly number[];
  /** R^O, the outcome of the trajectory. */
  readonly outcome: number;
}

/**
 * Returns the trajectories of a group in the order of their first turns, for rules that require groups without
 * branches.
 * @throws {CreditError} that names group, turn and field: for a turn with two children, a last turn without an outcome,
 *   or a reward or an outcome that is not finite
 * @throws {ForestError} for a parent that is not an earlier turn of the group
 */
export function chains(group: Group): readonly Chain[] {
  return paths(group).map((turns) => {
    const last = turns[turns.length - 1];
    const { outcome } = group.turns[last];
    return { turns, outcome: checkOutcome(group.id, last, outcome ?? NaN) };
  });
}

/** Returns R^O of each trajectory [trajectories]. @throws the errors of chains() */
export function outcomesOf(group: Group): number[] {
  return chains(group).map(({ outcome }) => outcome);
}

/**
 * Returns the paths from each first turn to its leaf, without a check of the outcomes.
 * @throws the errors of chains(), except errors of outcomes
 */
export function paths(group: Group): readonly (readonly number[])[] {
  group.turns.forEach(({ reward }, turn) => {
    checkReward(group.id, turn, reward);
  });
  return trajectories(group, branchError);
}

/**
 * Returns the last turns of the rollouts of a tree, in ascending order, and R^O of each. A last turn has no children.
 * @throws {CreditError} for an outcome that is missing or not finite
 */
export function findLeafTurns(group: Group): {
  readonly last: readonly number[];
  readonly outcomes: readonly number[];
} {
  const last = childrenOf(group).flatMap((children, turn) => (children.length === 0 ? [turn] : []));
  return { last, outcomes: last.map((turn) => checkOutcome(group.id, turn, group.turns[turn].outcome ?? NaN)) };
}

/** Checks that a reward is finite. @throws {CreditError} for a reward that is not finite */
export function checkReward(group: string, turn: number, reward: number): void {
  if (!Number.isFinite(reward)) throw new CreditError(group, turn, 'reward', `${reward} is not a finite number`);
}

/** Returns an outcome if it is finite. @throws {CreditError} for an outcome that is missing (NaN) or not finite */
export function checkOutcome(group: string, turn: number, outcome: number): number {
  if (Number.isFinite(outcome)) return outcome;
  const problem = Number.isNaN(outcome)
    ? 'missing on the last turn of a trajectory'
    : `${outcome} is not a finite number`;
  throw new CreditError(group, turn, 'outcome', problem);
}

/** Returns the number of tokens of a turn. @throws {CreditError} for a number that is not a positive integer */
export function checkTokens(group: string, turn: number, { tokens }: Turn): number {
  if (Number.isInteger(tokens) && Number(tokens) > 0) return Number(tokens);
  throw new CreditError(group, turn, 'tokens', `${tokens ?? 'missing'}: this rule needs a whole number above 0`);
}

/** Returns the critic's values of a turn [tokens]. @throws {CreditError} unless each token has one finite value */
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

/**
 * Returns the log-probability of the correct answer before a turn [nats].
 * @throws {CreditError} if it is missing, not finite or above 0
 */
export function checkAnswerLogProb(group: string, turn: number, { answerLogProb }: Turn): number {
  const why = 'this rule pays a turn by what it makes the right answer more probable';
  return checkLogProbability(group, turn, 'answerLogProb', answerLogProb, why);
}

/**
 * Returns the log-probability of the tokens of a turn [nats].
 * @throws {CreditError} if it is missing, not finite or above 0
 */
export function checkLogProb(group: string, turn: number, { logProb }: Turn): number {
  const why = 'this rule weights a turn by how probable the policy found it';
  return checkLogProbability(group, turn, 'logProb', logProb, why);
}

function checkLogProbability(group: string, turn: number, field: string, value: unknown, why: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value <= 0) return value;
  const problem = value === undefined ? 'missing' : `${JSON.stringify(value)} is no log-probability`;
  throw new CreditError(group, turn, field, `${problem}; ${why}`);
}

/**
 * Returns the mean return of the continuations from the state before a turn.
 * @throws {CreditError} if it is missing or not finite
 */
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

/** Creates the error for a turn with several children. */
export function branchError(
  group: Group,
  turn: number,
  children: readonly number[] = childrenOf(group)[turn],
): CreditError {
  const problem = `this rule needs trajectories, but turns ${some(children)} all continue this turn`;
  return new CreditError(group.id, turn, 'parent', problem);
}

/** Returns the intermediate turns of a chain (R^I): all turns except the last, whose reward is the outcome. */
export function intermediateTurns(chain: Chain): readonly number[] {
  return chain.turns.slice(0, -1);
}

/**
 * Lists intermediate turns by level, in the order of the trajectories. Level l has turn l of each trajectory with l <
 * K_i.
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

/** Lists the turns at each position of the trajectories, including last turns. @returns [positions][turns] */
export function turnPositions(all: readonly Chain[]): readonly (readonly number[])[] {
  const longest = all.reduce((length, { turns }) => Math.max(length, turns.length), 0);
  return Array.from({ length: longest }, (_, k) => all.flatMap(({ turns }) => turns.slice(k, k + 1)));
}

/**
 * Returns the turns that are compared with each other, one list per level. With `leave`, a list has the intermediate
 * turns of the level. Otherwise it has one entry per rollout of the group: -1 for a rollout without an intermediate
 * turn at the level.
 */
export function comparedTurns(
  all: readonly Chain[],
  absent: 'leave' | 'zero' | 'leave-one-out',
): readonly (readonly number[])[] {
  const levels = turnLevels(all);
  if (absent === 'leave') return levels;
  return levels.map((_, level) => all.map((chain) => intermediateTurns(chain)[level] ?? -1));
}

/** Assigns the value of each trajectory to its turns. @returns [turns] */
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

/** Returns the turns of a group in one list per value of a key, for example the parent or the state. */
export function turnsBy(group: Group, key: (turn: Turn) => unknown): number[][] {
  const lists = new Map<string, number[]>();
  group.turns.forEach((turn, index) => {
    const name = String(key(turn));
    lists.set(name, [...(lists.get(name) ?? []), index]);
  });
  return [...lists.values()];
}

/** Returns the number of rollouts of a group: the paths from a first turn to a last turn. */
export function countRollouts({ turns }: Group): number {
  const continued = new Set(turns.map(({ parent }) => parent));
  continued.delete(-1);
  return turns.length - continued.size;
}

/** Returns the values of the last turns [trajectories]. @param values [turns] */
export function lastTurnValues(group: Group, values: Float64Array): number[] {
  return trajectories(group).map((path) => values[path[path.length - 1]]);
}

/** Returns the values of the first turns [trajectories]. @param values [turns] */
export function firstTurnValues(group: Group, values: Float64Array): number[] {
  return trajectories(group).map(([first]) => values[first]);
}

/** Returns the values of the turns in one list per parent. @param values [turns] */
export function siblingValues(group: Group, values: Float64Array): number[][] {
  return turnsBy(group, ({ parent }) => parent).map((turns) => turns.map((turn) => values[turn]));
}

/*
 * Rewards of a rollout as each rule reads them. A file of groups has turn rewards, outcomes, and `outcomeIsTotal`: an
 * outcome contains the turn rewards (true) or is added to them (false). `CreditRule.rewards` names the rewards that a
 * rule reads.
 */

/**
 * Returns a group with rewards and outcomes in the form that a rule reads, or the group itself if they do not change.
 * Outcomes without the turn rewards are no longer totals, so a second call changes nothing. Under an attempt rule, the
 * last turn's reward becomes the last reward of the rollout. Without `outcomeIsTotal`, this applies only if no turn of
 * the group has a reward.
 */
export function withTotals({ rewards }: { readonly rewards?: 'outcome' | 'attempts' }, group: Group): Group {
  const attempts = rewards === 'attempts';
  const total = group.outcomeIsTotal;
  if (rewards === 'outcome' || (!attempts && total !== true)) return group;
  if (attempts && typeof total !== 'boolean' && group.turns.some(({ reward }) => reward !== 0)) return group;
  const children = childrenOf(group);
  const before: number[] = [];
  const turns = group.turns.map((turn, index): Turn => {
    const { parent, reward, outcome } = turn;
    before.push(parent < 0 ? 0 : before[parent] + group.turns[parent].reward);
    if (children[index].length > 0 || outcome === undefined) return turn;
    if (!attempts) return { ...turn, reward: 0, outcome: outcome - before[index] };
    return { ...turn, reward: total === true ? outcome - before[index] : reward + outcome };
  });
  return { ...group, turns, ...(attempts ? {} : { outcomeIsTotal: false }) };
}
