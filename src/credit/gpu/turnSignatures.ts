import type { Group } from '../../rollouts/forest.ts';
import { type Signatures, signatures } from '../../rollouts/signatures.ts';
import { listsBy } from '../arithmetic/lists.ts';
import { CreditError } from '../creditError.ts';
import { groupTurns, trajectoryTurns } from './batchArrays.ts';
import type { ForestView } from './forestView.ts';
import { type BatchArray, type Segmentation, type Stage, scratch, segmentation } from './stage.ts';

// States and actions of turns: which turns of a group share one. RTMC's turns are sorted by the bits of their strings on
// the GPU; GiGPO's anchors come from the host, see `anchorStates`.

/** @throws {CreditError} for a turn without the string */
export function checkSignature(group: Group, turn: number, field: 'state' | 'action'): string {
  const text = group.turns[turn][field];
  if (typeof text === 'string') return text;
  const problem = text === undefined ? 'missing' : `${JSON.stringify(text)} is not a string`;
  throw new CreditError(group.id, turn, field, `${problem}; this rule compares turns by it`);
}

/**
 * The signatures of the states and of the actions of a batch, computed once.
 * @throws {CreditError} as above
 */
const stateSignatures = (view: ForestView) => signaturesOf(view, 'state');
const actionSignatures = (view: ForestView) => signaturesOf(view, 'action');

function signaturesOf({ forest, turns }: ForestView, field: 'state' | 'action'): Signatures {
  const texts = new Array<string>(turns);
  let position = 0;
  for (const group of forest.groups) {
    for (let turn = 0; turn < group.turns.length; turn++) texts[position++] = checkSignature(group, turn, field);
  }
  return signatures(texts);
}

/** [turns]: 64 bits of each. */
export const stateSignature: BatchArray = {
  label: 'state signature',
  type: 'u32',
  extent: 'turns',
  width: 2,
  fill: (view) => view.once(stateSignatures).packed,
};
export const actionSignature: BatchArray = {
  label: 'action signature',
  type: 'u32',
  extent: 'turns',
  width: 2,
  fill: (view) => view.once(actionSignatures).packed,
};

/** [turns] */
const groupOf: BatchArray = {
  label: 'group of turn',
  type: 'u32',
  extent: 'turns',
  fill: ({ forest: { groupOffset }, turns, groups }) => {
    const all = new Uint32Array(turns);
    for (let group = 0; group < groups; group++) all.fill(group, groupOffset[group], groupOffset[group + 1]);
    return all;
  },
};

/** [turns]: the trajectory of each turn. */
export const trajectoryOf: BatchArray = {
  label: 'trajectory of turn',
  type: 'u32',
  extent: 'turns',
  fill: ({ trajectories }) => trajectories.of,
};

/** [turns]: the turns of each group, sorted by state, action, trajectory and place. */
export const sortedTurns = scratch('sorted turns', 'turns', 'u32');
const spare = scratch('sorted turns of odd levels', 'turns', 'u32');

/** Writes `sortedTurns`: one dispatch a doubling of the largest group. */
export const sortStage: Stage<unknown> = {
  kernel: 'credit/signature_sort',
  bindings: {
    groupOffset: groupTurns.offset,
    groupOf,
    turn: trajectoryTurns.member,
    state: stateSignature,
    action: actionSignature,
    order: sortedTurns,
    spare,
  },
  count: (view) => view.turns,
  levels: ({ forest: { groupOffset }, groups }) => {
    let largest = 2;
    for (let group = 0; group < groups; group++) {
      largest = Math.max(largest, groupOffset[group + 1] - groupOffset[group]);
    }
    return 32 - Math.clz32(largest - 1);
  },
};

/** [turns + 1]: where the next run of one state, or of one state and action, starts among the sorted turns. */
export const stateRuns = runs('state runs');
export const edgeRuns = runs('edge runs');

function runs(label: string): BatchArray {
  return { label, type: 'u32', extent: 'turns', extra: 1 };
}

/** Writes `edgeRuns` or `stateRuns`. */
export function runsStage(runOffset: BatchArray): Stage<unknown> {
  return {
    kernel: 'credit/signature_runs',
    bindings: { groupOf, state: stateSignature, action: actionSignature, order: sortedTurns, runOffset },
    count: (view) => view.turns,
    uniforms: () => ({ byAction: Number(runOffset === edgeRuns) }),
  };
}

/**
 * The turns of each group that share a state. The host lists them: the comparison of strings has numbered them already,
 * so the list is one more pass. The list gives `normalizeStage` the number of lists and their lengths. Runs written by
 * the GPU would cost a workgroup for every turn that might start a long one.
 */
export const anchorStates: Segmentation = segmentation('anchor states', 'turns', 'turns', (view) => {
  const { numbers, distinct } = view.once(stateSignatures);
  const { groupOffset } = view.forest;
  const keys = new Uint32Array(view.turns);
  const listOf = new Uint32Array(distinct);
  const lastGroup = new Int32Array(distinct).fill(-1); // the group that listOf is of
  let lists = 0;
  for (let group = 0; group < view.groups; group++) {
    for (let turn = groupOffset[group]; turn < groupOffset[group + 1]; turn++) {
      const state = numbers[turn];
      if (lastGroup[state] !== group) {
        lastGroup[state] = group;
        listOf[state] = lists++;
      }
      keys[turn] = listOf[state];
    }
  }
  return listsBy(keys, lists);
});

/**
 * The turns of each group that come after the same beginning of a rollout: the same states and actions before them, and
 * the same state. In the order of their rollouts.
 */
export const prefixes: Segmentation = segmentation('prefixes', 'turns', 'turns', (view) => {
  const [states, actions] = [view.once(stateSignatures), view.once(actionSignatures)];
  const { turns, group } = view.trajectories;
  const [known, actionKeys] = [new Map<number, number>(), new Map<number, number>()];
  const numbered = (map: Map<number, number>, key: number) => {
    const number = map.get(key) ?? map.size;
    map.set(key, number);
    return number;
  };
  const keys = new Uint32Array(view.turns);
  group.forEach((root, trajectory) => {
    let before = root;
    for (let k = turns.offset[trajectory]; k < turns.offset[trajectory + 1]; k++) {
      const turn = turns.member[k];
      keys[turn] = numbered(known, before * states.distinct + states.numbers[turn]);
      // Behind the numbers of groups, of which every rollout's first prefix is.
      before = view.groups + numbered(actionKeys, keys[turn] * actions.distinct + actions.numbers[turn]);
    }
  });
  return listsBy(keys, known.size);
});
