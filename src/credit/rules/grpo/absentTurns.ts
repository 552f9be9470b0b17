import type { ChoiceParameter } from '../../../parameters/parameters.ts';
import { listsBy, withoutEmpty } from '../../arithmetic/lists.ts';
import { type NormalizationValues, normalizationOf, sum } from '../../arithmetic/normalize.ts';
import {
  advantage,
  countOf,
  groupTrajectories,
  groupTurnLevels,
  outcomeAdvantage,
  reward,
  trajectoryTurns,
} from '../../gpu/batchArrays.ts';
import { groupRollouts } from '../../gpu/batchResponses.ts';
import type { ForestView } from '../../gpu/forestView.ts';
import { type BatchArray, type Segmentation, type Stage, scratch, segmentation } from '../../gpu/stage.ts';

// Options of MT-GRPO for a group in which some rollouts stopped before a turn that other rollouts took.

export const ABSENT = {
  kind: 'choice',
  name: 'absent',
  label: 'Missing turns',
  default: 'leave',
  options: ['leave', 'zero', 'leave-one-out'],
  optionLabels: { leave: 'ignore', zero: 'count as zero reward', 'leave-one-out': 'compare with active rollouts' },
  help:
    'Turns that a shorter rollout of a group lacks. Ignored (leave): a turn is compared among the rollouts that took it. ' +
    'Counted as zero reward (zero): the last turn of the shorter rollout gets the credit of its missing turns. ' +
    'Compared with active rollouts (leave-one-out): as zero, minus the mean of the other rollouts that take the turn.',
} as const satisfies ChoiceParameter;

export type Absent = (typeof ABSENT.options)[number];

/** Values of the rule's parameters that these stages read. */
type AbsentValues = NormalizationValues & { readonly alpha: number; readonly absent: Absent };

/** Returns the offsets of each group's lists among `groupTurnLevels` [groups + 1]. */
function levelOffsets(view: ForestView): Uint32Array {
  const { offset, member } = view.lists(groupTurnLevels);
  const { of, group } = view.trajectories;
  const levels = new Uint32Array(view.groups + 1);
  for (let list = 0; list + 1 < offset.length; list++) levels[group[of[member[offset[list]]]] + 1]++;
  for (let at = 0; at < view.groups; at++) levels[at + 1] += levels[at];
  return levels;
}

const levelOffset: BatchArray = {
  label: 'levels of groups offset',
  type: 'u32',
  extent: 'groups',
  extra: 1,
  fill: (view) => view.once(levelOffsets),
};

/** Levels of the group of each trajectory [trajectories, 2]: the index of the first, and the index after the last. */
const trajectoryLevels: BatchArray = {
  label: 'levels of trajectories',
  type: 'u32',
  extent: 'trajectories',
  width: 2,
  fill: (view) => {
    const offset = view.once(levelOffsets);
    return Uint32Array.from([...view.trajectories.group].flatMap((group) => [offset[group], offset[group + 1]]));
  },
};

const absentAdvantage = scratch('absentAdvantage', 'turns');

/**
 * Creates stages that normalise turn rewards with 0 for absent turns, and add the advantages of absent turns to A^O.
 * @param turnAdvantage [turns] A^I
 */
export const absentStages = (turnAdvantage: BatchArray): readonly Stage<AbsentValues>[] => [
  {
    kernel: 'credit/absent_levels',
    bindings: {
      levelOffset,
      memberOffset: groupTurnLevels.offset,
      member: groupTurnLevels.member,
      trajectoryOffset: groupTrajectories.offset,
      value: reward,
      turnAdvantage,
      absentAdvantage,
    },
    count: countOf('groups'),
    when: ({ absent }) => absent !== 'leave',
    uniforms: (values) => {
      const { ddof, epsilon, scale, singleton } = normalizationOf(values);
      return { ddof, epsilon, scaleByStd: Number(scale === 'std'), rawSingleton: Number(singleton === 'raw') };
    },
  },
  {
    kernel: 'credit/absent_outcome',
    bindings: { turnOffset: trajectoryTurns.offset, trajectoryLevels, absentAdvantage, outcomeAdvantage },
    count: countOf('trajectories'),
    when: ({ absent }) => absent !== 'leave',
    uniforms: ({ alpha }) => ({ alpha }),
  },
];

/**
 * Subtracts from the value of each member of a list the mean of the other members. A member without others has the mean
 * of all other rollouts of its group as its baseline. That mean follows from the group's sum of 0, which is exact with
 * alpha 1.
 * @param values [turns] @param lists turns that are compared with each other @param rollouts number of rollouts in the
 *   group
 */
export function subtractPeers(
  values: Float64Array,
  lists: readonly (readonly number[])[],
  rollouts: number,
): Float64Array {
  const result = values.slice();
  for (const members of lists) {
    const n = members.length;
    if (n === 1) {
      result[members[0]] *= rollouts > 1 ? rollouts / (rollouts - 1) : 1;
      continue;
    }
    const total = sum(members.map((turn) => values[turn]));
    for (const turn of members) result[turn] -= (total - values[turn]) / (n - 1);
  }
  return result;
}

/** Turns at each position of the trajectories of each group, including last turns. */
const groupTurnPositions = segmentation('turn positions of groups', 'turns', 'turns', ({ forest, trajectories }) => {
  const { of, group } = trajectories;
  const keys = Uint32Array.from(of, (trajectory, turn) => forest.groupOffset[group[trajectory]] + forest.depth[turn]);
  return withoutEmpty(listsBy(keys, keys.length));
});

/**
 * Creates a stage that subtracts from `advantage` the mean of the other members of each list.
 * @param rollouts [turns] number of rollouts in the group of the turn
 */
export function peerStage(
  lists: Segmentation = groupTurnPositions,
  rollouts: BatchArray = groupRollouts,
): Stage<{ readonly absent: Absent }> {
  return {
    kernel: 'credit/active_baseline',
    bindings: { listOffset: lists.offset, listTurn: lists.member, rollouts, advantage },
    count: (view) => view.listCount(lists),
    when: ({ absent }) => absent === 'leave-one-out',
  };
}
