import type { CreditRule } from '../src/credit/rule.ts';
import { CounterRandom } from '../src/random/counter.ts';
import type { Group, Turn } from '../src/rollouts/forest.ts';

/**
 * Creates random groups with all fields that rules read: rewards on a grid with many ties, few states and actions, so
 * that states recur, and unit tests of unequal difficulty. The default sizes are 1, 2, 3, 8, 33 and 64 rollouts of 1 to
 * 4 turns. For a rule that reads trees, the result also contains trees.
 */
export function randomGroups(rule: Pick<CreditRule, 'input'>, seed: number, sizes = [1, 2, 3, 8, 33, 64]): Group[] {
  const random = new CounterRandom(seed, 1);
  const chains = sizes.map((size) => group(random, `chains ${seed}-${size}`, chainParents(random, size)));
  if (rule.input === 'trajectories') return chains;
  const trees = sizes.map((size) => group(random, `tree ${seed}-${size}`, treeParents(random, size)));
  return [...chains, ...trees];
}

function chainParents(random: CounterRandom, rollouts: number): number[] {
  const parents: number[] = [];
  for (let rollout = 0; rollout < rollouts; rollout++) {
    const turns = 1 + random.integer(4);
    for (let turn = 0; turn < turns; turn++) parents.push(turn === 0 ? -1 : parents.length - 1);
  }
  return parents;
}

/** Returns the parents of a random tree with up to four levels. Some turns of each level have 1 to 6 continuations. */
function treeParents(random: CounterRandom, turns: number): number[] {
  const parents: number[] = new Array(1 + random.integer(8)).fill(-1);
  const depth = parents.map(() => 0);
  for (let turn = 0; turn < parents.length && parents.length < 4 * turns; turn++) {
    if (depth[turn] === 3 || random.integer(3) === 0) continue;
    const children = 1 + random.integer(6);
    for (let child = 0; child < children; child++) {
      parents.push(turn);
      depth.push(depth[turn] + 1);
    }
  }
  return parents;
}

function group(random: CounterRandom, id: string, parents: readonly number[]): Group {
  const tests = 1 + random.integer(12);
  const leaf = new Set(parents.keys());
  for (const parent of parents) leaf.delete(parent);
  // A separate generator, so that the draws of the other fields do not change.
  const answerRandom = new CounterRandom(parents.length, 2);
  const grid = (low: number, high: number) => (low + random.integer(high - low + 1)) / 10;
  const turns = parents.map((parent, index): Turn => {
    // Test t is passed with probability 2 / (t + 2), so all turns pass the first test.
    const passed = Array.from({ length: tests }, (_, test) => Number(random.integer(test + 2) < 2));
    const tokens = 1 + random.integer(4);
    return {
      parent,
      reward: grid(-10, 10),
      solved: leaf.has(index) && random.integer(2) === 0,
      passed,
      state: `s${random.integer(5)}`,
      action: `a${random.integer(3)}`,
      validates: random.integer(4) === 0,
      tokens,
      values: Array.from({ length: tokens }, () => grid(-20, 20)),
      answerLogProb: -answerRandom.integer(31) / 10,
      stateValue: (answerRandom.integer(21) - 10) / 10,
      logProb: -answerRandom.integer(81) / 10,
      ...(leaf.has(index) ? { outcome: grid(-10, 10) } : {}),
    };
  });
  return { id, turns };
}

/**
 * Returns a group with its rollouts (or first turns with all their continuations) in another order.
 * @returns the group, and the original index of each turn
 */
export function permuted(
  original: Group,
  order: readonly number[],
): { readonly group: Group; readonly from: readonly number[] } {
  const roots = original.turns.flatMap(({ parent }, turn) => (parent === -1 ? [turn] : []));
  const root: number[] = [];
  original.turns.forEach(({ parent }, turn) => {
    root.push(parent === -1 ? turn : root[parent]);
  });
  const from = order.flatMap((index) => [...root.keys()].filter((turn) => root[turn] === roots[index]));
  const to = new Map(from.map((turn, index) => [turn, index]));
  const turns = from.map((turn) => {
    const { parent } = original.turns[turn];
    return { ...original.turns[turn], parent: parent === -1 ? -1 : Number(to.get(parent)) };
  });
  return { group: { ...original, turns }, from };
}
