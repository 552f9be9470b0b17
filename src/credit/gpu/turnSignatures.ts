import type { Group } from '../../rollouts/forest.ts';
import { type Signatures, signatures } from '../../rollouts/signatures.ts';
import { listsBy } from '../arithmetic/lists.ts';
import { CreditError } from '../creditError.ts';
import { groupTurns, trajectoryTurns } from './batchArrays.ts';
import type { ForestView } from './forestView.ts';
import { type BatchArray, type Segmentation, type Stage, scratch, segmentation } from './stage.ts';

// States and actions of turns, by which turns of a group are compared. For RTMC, the GPU sorts turns by the signatures
// of their strings. For GiGPO, the host lists the turns of each anchor state; see `anchorStates`.

/** Returns the state or the action of a turn. @throws {CreditError} if it is not a string */
export function checkSignature(group: Group, turn: number, field: 'state' | 'action'): string {
  const text = group.turns[turn][field];
  if (typeof text === 'string') return text;
  const problem = text === undefined ? 'missing' : `${JSON.stringify(text)} is not a string`;
  throw new CreditError(group.id, turn, field, `${problem}; this rule compares turns by it`);
}

/** Returns the signatures of the states of a batch. @throws {CreditError} for a turn without a state */
const stateSignatures = (view: ForestView) => signaturesOf(view, 'state');
/** Returns the signatures of the actions of a batch. @throws {CreditError} for a turn without an action */
const actionSignatures = (view: ForestView) => signaturesOf(view, 'action');

function signaturesOf({ forest, turns }: ForestView, field: 'state' | 'action'): Signatures {
  const texts = new Array<string>(turns);
  let position = 0;
  for (const group of forest.groups) {
    for (let turn = 0; turn < group.turns.length; turn++) texts[position++] = checkSignature(group, turn, field);
  }
  return signatures(texts);
}

/** State signature of each turn [turns], 64 bits. */
export const stateSignature: BatchArray = {
  label: 'state signature',
  type: 'u32',
  extent: 'turns',
  width: 2,
  fill: (view) => view.once(stateSignatures).packed,
};
/** Action signature of each turn [turns], 64 bits. */
export const actionSignature: BatchArray = {
  label: 'action signature',
  type: 'u32',
  extent: 'turns',
  width: 2,
  fill: (view) => view.once(actionSignatures).packed,
};

/** Group of each turn [turns]. */
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

/** Trajectory of each turn [turns]. */
export const trajectoryOf: BatchArray = {
  label: 'trajectory of turn',
  type: 'u32',
  extent: 'turns',
  fill: ({ trajectories }) => trajectories.of,
};

/** Turns of each group, sorted by state, action, trajectory and position [turns]. */
export const sortedTurns = scratch('sorted turns', 'turns', 'u32');
const spare = scratch('sorted turns of odd levels', 'turns', 'u32');

/** Stage that writes `sortedTurns`, with one dispatch per doubling up to the size of the largest group. */
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

/** First position, at or after each position among the sorted turns, at which a run of one state starts [turns + 1]. */
export const stateRuns = runs('state runs');
/** First position, at or after each position, at which a run of one state and action starts [turns + 1]. */
export const edgeRuns = runs('edge runs');

function runs(label: string): BatchArray {
  return { label, type: 'u32', extent: 'turns', extra: 1 };
}

/** Creates a stage that writes `edgeRuns` or `stateRuns`. */
export function runsStage(runOffset: BatchArray): Stage<unknown> {
  return {
    kernel: 'credit/signature_runs',
    bindings: { groupOf, state: stateSignature, action: actionSignature, order: sortedTurns, runOffset },
    count: (view) => view.turns,
    uniforms: () => ({ byAction: Number(runOffset === edgeRuns) }),
  };
}

/**
 * Turns of each group that share a state. The host lists them: its comparison of strings has already numbered the
 * states, so the list requires one more pass. `normalizeStage` requires the number of lists and their lengths. Runs
 * written by the GPU would cost a workgroup for each turn that might start a long run.
 */
export const anchorStates: Segmentation = segmentation('anchor states', 'turns', 'turns', (view) => {
  const { numbers, distinct } = view.once(stateSignatures);
  const { groupOffset } = view.forest;
  const keys = new Uint32Array(view.turns);
  const listOf = new Uint32Array(distinct);
  const lastGroup = new Int32Array(distinct).fill(-1); // group of the entry in listOf
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
 * Turns of each group after the same prefix of a rollout: equal earlier states and actions, and an equal state of the
 * turn. The turns of a list are in the order of their rollouts.
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
      // The numbers of groups are the keys of the first prefixes, so other keys are larger.
      before = view.groups + numbered(actionKeys, keys[turn] * actions.distinct + actions.numbers[turn]);
    }
  });
  return listsBy(keys, known.size);
});
