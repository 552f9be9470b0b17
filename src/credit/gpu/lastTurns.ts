import { checkOutcome } from '../arithmetic/chains.ts';
import { listsBy, NO_LIST } from '../arithmetic/lists.ts';
import type { ForestView } from './forestView.ts';
import { type BatchArray, segmentation } from './stage.ts';

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
