import { turnLevels } from './chains.ts';
import type { ForestView } from './forestView.ts';
import { normalization } from './normalize.ts';
import { type BatchArray, type Extent, type Segmentation, type Stage, scratch, segmentation } from './stage.ts';

// What the stages of several rules share: arrays of the batch, lists of members, and ready-made stages.

/** [turns]: R^I of each turn. */
export const reward: BatchArray = {
  label: 'reward',
  type: 'f32',
  extent: 'turns',
  fill: ({ forest }) => forest.reward,
};

/** [trajectories]: R^O. */
export const outcome: BatchArray = {
  label: 'outcome',
  type: 'f32',
  extent: 'trajectories',
  fill: ({ chains }) => chains.map((chain) => chain.outcome),
};

/** [turns]: what the rule is for; the policy's loss reads it by turn index. */
export const advantage = scratch('advantage', 'turns');

/** [trajectories]: A^O, the normalised outcome. */
export const outcomeAdvantage = scratch('outcomeAdvantage', 'trajectories');

/** The turns of each trajectory, first to last. */
export const trajectoryTurns = segmentation('turns of trajectories', 'trajectories', 'turns', ({ chains }) =>
  chains.map((chain) => chain.turns),
);

/** The trajectories of each group. */
export const groupTrajectories = segmentation('trajectories of groups', 'groups', 'trajectories', (view) => {
  const lists: number[][] = Array.from({ length: view.groups }, () => []);
  for (const [index, chain] of view.chains.entries()) lists[chain.group].push(index);
  return lists;
});

/** For each group and each l, turn l of the trajectories in which it is an intermediate turn. */
export const groupTurnLevels = segmentation('turn levels of groups', 'turns', 'turns', (view) =>
  view.lists(groupTrajectories).flatMap((members) => turnLevels(members.map((index) => view.chains[index]))),
);

/**
 * Float32 sums of rewards that are equal on paper may differ in the last bits (0.1 + 0.2 and 0.3). A segment whose
 * members lie this close together, relative to the largest, counts as all equal.
 */
export const SUM_TIE = 1e-6;

/**
 * Normalises `value` within each list, by the rule's profile.
 * @param tie 0 for rewards as they were given, SUM_TIE for sums of rewards
 */
export function normalizeStage(over: Segmentation, value: BatchArray, normalized: BatchArray, tie = 0): Stage {
  return {
    kernel: 'credit/segmented_normalize',
    bindings: { segmentOffset: over.offset, segmentMember: over.member, value, normalized },
    count: (view) => view.lists(over).length,
    itemsPerWorkgroup: 1,
    uniforms: (parameters) => {
      const { ddof, epsilon, scale, singleton } = normalization(parameters);
      return { ddof, epsilon, scaleByStd: Number(scale === 'std'), rawSingleton: Number(singleton === 'raw'), tie };
    },
  };
}

/** Writes each trajectory's value to `advantage` of all its turns. */
export function spreadStage(value: BatchArray): Stage {
  return {
    kernel: 'credit/trajectory_spread',
    bindings: { turnOffset: trajectoryTurns.offset, turn: trajectoryTurns.member, value, advantage },
    count: countOf('trajectories'),
    itemsPerWorkgroup: 64,
  };
}

/** The number of turns, trajectories or groups of a batch. */
export function countOf(extent: Extent): (view: ForestView) => number {
  return (view) => view.count(extent);
}
