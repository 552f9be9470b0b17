import { CounterRandom } from '../src/random/counter.ts';
import type { Group, Turn, TurnField } from '../src/rollouts/forest.ts';

/** Number of rollouts in a group, and of turns in each rollout of a chain group. */
export const ROLLOUTS = 8;
export const TURNS = 4;
export const TESTS = 10;
export const TOKENS = 8;
export const STATES = 6;
export const ACTIONS = 3;

/** Shape of the rollouts: chains of equal length, or trees in which every turn has two continuations. */
export type Shape = 'chains' | 'trees';

/**
 * Creates groups with about `turns` turns in total and the requested fields. The same seed creates the same groups.
 * Rewards, states and test results are random and do not depend on the position of a turn in its group.
 */
export function syntheticGroups(turns: number, shape: Shape, fields: ReadonlySet<TurnField>, seed = 1): Group[] {
  const parents = shape === 'chains' ? chainParents() : treeParents();
  const leaves = parents.map((_, turn) => !parents.includes(turn));
  const random = new CounterRandom(seed, 0);
  const groups = Math.max(1, Math.round(turns / parents.length));
  return Array.from({ length: groups }, (_, group) => ({
    id: `g${group}`,
    turns: parents.map((parent, turn) => drawTurn(random, parent, leaves[turn], fields)),
  }));
}

function drawTurn(random: CounterRandom, parent: number, leaf: boolean, fields: ReadonlySet<TurnField>): Turn {
  const grid = () => random.integer(21) / 10 - 1;
  const list = (length: number, draw: () => number) => Array.from({ length }, draw);
  return {
    parent,
    reward: grid(),
    ...(leaf ? { outcome: grid(), solved: random.integer(3) === 0 } : {}),
    ...(fields.has('passed') ? { passed: list(TESTS, () => Number(random.integer(3) > 0)) } : {}),
    ...(fields.has('state')
      ? { state: `state ${random.integer(STATES)}`, action: `action ${random.integer(ACTIONS)}` }
      : {}),
    ...(fields.has('logProb') ? { tokens: TOKENS, logProb: -random.integer(81) / 10 } : {}),
    ...(fields.has('values') ? { tokens: TOKENS, values: list(TOKENS, grid) } : {}),
  };
}

function chainParents(): number[] {
  return Array.from({ length: ROLLOUTS * TURNS }, (_, turn) => (turn % TURNS === 0 ? -1 : turn - 1));
}

/** Returns the parents of a tree group: eight first turns, and two levels with two continuations of each turn. */
function treeParents(): number[] {
  const parents: number[] = new Array(ROLLOUTS).fill(-1);
  for (let turn = 0; turn < 3 * ROLLOUTS; turn++) parents.push(turn, turn);
  return parents;
}
