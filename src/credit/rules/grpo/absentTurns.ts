import type { ChoiceParameter } from '../../../parameters/parameters.ts';
import { type NormalizationValues, normalizationOf } from '../../arithmetic/normalize.ts';
import {
  countOf,
  groupTrajectories,
  groupTurnLevels,
  outcomeAdvantage,
  reward,
  trajectoryTurns,
} from '../../gpu/batchArrays.ts';
import type { ForestView } from '../../gpu/forestView.ts';
import { type BatchArray, type Stage, scratch } from '../../gpu/stage.ts';

// What MT-GRPO does where some rollouts of a group stopped before a turn that others took.

export const ABSENT = {
  kind: 'choice',
  name: 'absent',
  label: 'Missing turns',
  default: 'leave',
  options: ['leave', 'zero'],
  optionLabels: { leave: 'ignore', zero: 'count as zero reward' },
  help:
    'Turns that a shorter rollout of a group lacks. Ignored (leave): a turn is compared among the rollouts that took it. ' +
    'Counted as zero reward (zero): the last turn of the shorter rollout gets the credit of its missing turns.',
} as const satisfies ChoiceParameter;

/** Values of the rule's parameters, as far as these stages read them. */
type AbsentValues = NormalizationValues & { readonly alpha: number; readonly absent: 'leave' | 'zero' };

/** [groups + 1]: the first of each group's lists among `groupTurnLevels`. */
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

/** [trajectories, 2]: the levels of its group, from the first to the one after the last. */
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

/** Normalises turn by turn with absent ones as 0, and adds those of absent turns to A^O. @param turnAdvantage [turns] A^I */
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
    when: ({ absent }) => absent === 'zero',
    uniforms: (values) => {
      const { ddof, epsilon, scale, singleton } = normalizationOf(values);
      return { ddof, epsilon, scaleByStd: Number(scale === 'std'), rawSingleton: Number(singleton === 'raw') };
    },
  },
  {
    kernel: 'credit/absent_outcome',
    bindings: { turnOffset: trajectoryTurns.offset, trajectoryLevels, absentAdvantage, outcomeAdvantage },
    count: countOf('trajectories'),
    when: ({ absent }) => absent === 'zero',
    uniforms: ({ alpha }) => ({ alpha }),
  },
];
