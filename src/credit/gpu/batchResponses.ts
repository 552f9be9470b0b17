import { checkOutcome, checkReward } from '../arithmetic/chains.ts';
import { type Lists, listsBy, NO_LIST, withoutEmpty } from '../arithmetic/lists.ts';
import { budgetError } from '../arithmetic/responseGroups.ts';
import type { ForestView } from './forestView.ts';
import { type BatchArray, segmentation } from './stage.ts';

/** Response groups of a batch, ordered by turn number, then group, then the turn that they continue. */
interface BatchResponses {
  /** Members of each response group. */
  readonly turns: Lists;
  /** Offsets by turn number [levels + 1]: turn number s has the response groups start[s - 1] .. start[s] - 1. */
  readonly start: Uint32Array;
  /** Turn that each response group continues [response groups]; NO_LIST for first turns. */
  readonly parent: Uint32Array;
  /** Group of each response group [response groups]. */
  readonly group: Uint32Array;
  /** Response group of each turn [turns]. */
  readonly of: Uint32Array;
}

/** Finds the response groups of a batch. @throws {CreditError} for a reward that is not finite */
export function batchResponses({ forest, groups, turns }: ForestView): BatchResponses {
  const { groupOffset, parent, depth, reward } = forest;
  // One key per group and per turn, in ascending order of parents. The key of a group precedes the keys of its turns.
  const [keys, owner] = [new Uint32Array(turns), new Uint32Array(turns)];
  for (let group = 0; group < groups; group++) {
    for (let turn = groupOffset[group]; turn < groupOffset[group + 1]; turn++) {
      checkReward(forest.groups[group].id, turn - groupOffset[group], reward[turn]);
      owner[turn] = group;
      keys[turn] = parent[turn] < 0 ? groupOffset[group] + group : parent[turn] + group + 1;
    }
  }
  const byParent = withoutEmpty(listsBy(keys, turns + groups));
  const count = byParent.offset.length - 1;
  const level = new Uint32Array(count);
  for (let list = 0; list < count; list++) level[list] = depth[byParent.member[byParent.offset[list]]];
  let levels = 0;
  for (const value of level) levels = Math.max(levels, value + 1);
  const order = listsBy(level, levels);

  const result = {
    turns: { offset: new Uint32Array(count + 1), member: new Uint32Array(turns) },
    start: order.offset,
    parent: new Uint32Array(count),
    group: new Uint32Array(count),
    of: new Uint32Array(turns),
  };
  let position = 0;
  for (let at = 0; at < count; at++) {
    const list = order.member[at];
    const first = byParent.member[byParent.offset[list]];
    result.parent[at] = parent[first] < 0 ? NO_LIST : parent[first];
    result.group[at] = owner[first];
    for (let from = byParent.offset[list]; from < byParent.offset[list + 1]; from++) {
      result.turns.member[position++] = byParent.member[from];
      result.of[byParent.member[from]] = at;
    }
    result.turns.offset[at + 1] = position;
  }
  return result;
}

/** Turns of each response group. */
export const responses = segmentation(
  'turns of response groups',
  'turns',
  'turns',
  (view) => view.once(batchResponses).turns,
);

/** Turn that each response group continues [response groups]; NO_LIST for first turns. */
export const continued: BatchArray = {
  label: 'turn that a response group continues',
  type: 'u32',
  extent: 'turns',
  fill: (view) => view.once(batchResponses).parent,
};

/** S if the environment does not set it [response groups]: the turn number of the deepest turn of the group. */
export const deepestTurn: BatchArray = {
  label: 'deepest turn',
  type: 'u32',
  extent: 'turns',
  fill: (view) => {
    const { group, start } = view.once(batchResponses);
    const deepest = new Uint32Array(view.groups);
    for (let level = 0; level + 1 < start.length; level++) {
      for (let at = start[level]; at < start[level + 1]; at++) deepest[group[at]] = level + 1;
    }
    return group.map((groupIndex) => deepest[groupIndex]);
  },
};

/** Returns the number of turn numbers in a batch. */
export function levelCount(view: ForestView): number {
  return view.once(batchResponses).start.length - 1;
}

/** Returns the number of response groups of one level (turn number s = level + 1), and the index of the first. */
export function levelOf(view: ForestView, level: number): { readonly count: number; readonly first: number } {
  return span(view.once(batchResponses).start, level);
}

/** Returns list `at` of the offsets as a count and a first index, 0 and 0 beyond the end. */
export function span(offset: Uint32Array, at: number): { readonly count: number; readonly first: number } {
  return at + 1 < offset.length ? { count: offset[at + 1] - offset[at], first: offset[at] } : { count: 0, first: 0 };
}

/**
 * Checks the turn budget of a batch, as turnBudget() does for a group.
 * @throws {CreditError} that names the first turn beyond maxTurns
 */
export function checkTurnBudget(view: ForestView, maxTurns: number): void {
  if (maxTurns === 0 || levelCount(view) <= maxTurns) return;
  const { depth, groups, groupOffset } = view.forest;
  const beyond = depth.findIndex((level) => level >= maxTurns);
  const group = groupOffset.findIndex((offset) => offset > beyond) - 1;
  throw budgetError(groups[group].id, beyond - groupOffset[group], depth[beyond] + 1, maxTurns);
}

// Last turns of a tree: the turns without children, which have the outcomes of the rollouts.

/** Returns 1 for each last turn and 0 for other turns [turns]. */
export function lastTurns({ turns, forest: { parent } }: ForestView): Uint32Array {
  const last = new Uint32Array(turns).fill(1);
  for (const turn of parent) if (turn >= 0) last[turn] = 0;
  return last;
}

/** Last turns of each group. */
export const groupLastTurns = segmentation('last turns of groups', 'groups', 'turns', (view) => {
  const { groupOffset } = view.forest;
  const last = view.once(lastTurns);
  const keys = new Uint32Array(view.turns).fill(NO_LIST);
  for (let group = 0; group < view.groups; group++) {
    for (let turn = groupOffset[group]; turn < groupOffset[group + 1]; turn++) if (last[turn] === 1) keys[turn] = group;
  }
  return listsBy(keys, view.groups);
});

/** Number of rollouts in the group of each turn [turns]. */
export const groupRollouts: BatchArray = {
  label: 'rollouts of groups',
  type: 'u32',
  extent: 'turns',
  fill: (view) => {
    const { groupOffset } = view.forest;
    const { offset } = view.lists(groupLastTurns);
    const rollouts = new Uint32Array(view.turns);
    for (let group = 0; group < view.groups; group++)
      rollouts.fill(offset[group + 1] - offset[group], groupOffset[group], groupOffset[group + 1]);
    return rollouts;
  },
};

/** R^O of each last turn [turns]; elements of other turns are not read. */
export const lastOutcome: BatchArray = {
  label: 'outcome of last turns',
  type: 'f32',
  extent: 'turns',
  fill: (view) => {
    const { groups, groupOffset, outcome } = view.forest;
    const { offset, member } = view.lists(groupLastTurns);
    for (let group = 0; group < groups.length; group++) {
      for (const turn of member.subarray(offset[group], offset[group + 1])) {
        checkOutcome(groups[group].id, turn - groupOffset[group], outcome[turn]);
      }
    }
    return outcome;
  },
};
