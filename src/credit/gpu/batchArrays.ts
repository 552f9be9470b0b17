import { checkTokens, checkValues } from '../arithmetic/chains.ts';
import { listsBy, NO_LIST, withoutEmpty } from '../arithmetic/lists.ts';
import { type Normalization, type NormalizationValues, normalizationOf } from '../arithmetic/normalize.ts';
import type { Extent } from './extent.ts';
import type { ForestView } from './forestView.ts';
import { type BatchArray, type Segmentation, type Stage, type StageVariant, scratch, segmentation } from './stage.ts';

// Shared parts of the stages of several rules: arrays of the batch, lists of members, and ready-made stages.

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
  fill: ({ outcomes }) => outcomes,
};

/** [turns]: what the rule is for; the policy's loss reads it by turn index. */
export const advantage = scratch('advantage', 'turns');

/** [tokens]: what a token rule is for, in place of `advantage`; and what the critic should have said. */
export const tokenAdvantage = scratch('token advantage', 'tokens');
export const tokenReturn = scratch('token return', 'tokens');

/** [turns + 1]: the tokens of turn k are tokenOffset[k] .. tokenOffset[k + 1] - 1 of the arrays over tokens. */
export const tokenOffset: BatchArray = {
  label: 'token offset',
  type: 'u32',
  extent: 'turns',
  extra: 1,
  fill: (view) => {
    const offset = new Uint32Array(view.turns + 1);
    let turn = 0;
    for (const { id, turns } of view.forest.groups) {
      for (let index = 0; index < turns.length; index++, turn++)
        offset[turn + 1] = offset[turn] + checkTokens(id, index, turns[index]);
    }
    return offset;
  },
};

/** [tokens]: the critic's value before each token was written; in training another kernel writes it. */
export const tokenValue: BatchArray = {
  label: 'token value',
  type: 'f32',
  extent: 'tokens',
  fill: (view) => {
    const all = new Float32Array(view.count('tokens'));
    let position = 0;
    for (const { id, turns } of view.forest.groups) {
      for (let index = 0; index < turns.length; index++) {
        const values = checkValues(id, index, turns[index]);
        all.set(values, position);
        position += values.length;
      }
    }
    return all;
  },
};

/** [trajectories]: A^O, the normalised outcome. */
export const outcomeAdvantage = scratch('outcomeAdvantage', 'trajectories');

/** The turns of each trajectory, first to last. */
export const trajectoryTurns = segmentation(
  'turns of trajectories',
  'trajectories',
  'turns',
  ({ trajectories }) => trajectories.turns,
);

/** The trajectories of each group. */
export const groupTrajectories = segmentation('trajectories of groups', 'groups', 'trajectories', (view) =>
  listsBy(view.trajectories.group, view.groups),
);

/** The turns of each group. */
export const groupTurns = segmentation('turns of groups', 'groups', 'turns', ({ forest, turns }) => ({
  offset: forest.groupOffset,
  member: Uint32Array.from({ length: turns }, (_, turn) => turn),
}));

/** For each group and each l, turn l of the trajectories in which it is an intermediate turn. */
export const groupTurnLevels = segmentation('turn levels of groups', 'turns', 'turns', ({ forest, trajectories }) => {
  const { of, turnIndex, turns, group } = trajectories;
  // Level l of a group is numbered by the group's first turn + l: a group has no more levels than turns.
  const keys = Uint32Array.from(of, (trajectory, turn) => {
    const last = turns.member[turns.offset[trajectory + 1] - 1];
    return turn === last ? NO_LIST : forest.groupOffset[group[trajectory]] + turnIndex[turn];
  });
  return withoutEmpty(listsBy(keys, keys.length));
});

/**
 * Float32 sums of rewards that are equal on paper may differ in the last bits (0.1 + 0.2 and 0.3). A segment whose
 * members lie this close together, relative to the largest magnitude, counts as all equal.
 */
export const SUM_TIE = 1e-6;

/** Lists up to this size are worked through by one invocation, longer ones by a workgroup (segmented_normalize.wgsl). */
const SERIAL = 32;

/** A kernel with LANES invocations a list: 1 for lists of up to SERIAL members, a workgroup for longer ones. */
export function bySize(lists: Segmentation): readonly StageVariant[] {
  return [
    {
      constants: { LANES: 1, SERIAL },
      isRequired: (view) => view.listSizes(lists).smallest <= SERIAL,
    },
    {
      constants: { LANES: 64, SERIAL },
      each: 'workgroup',
      isRequired: (view) => view.listSizes(lists).largest > SERIAL,
    },
  ];
}

/** Options by which `normalizeStage` differs from plain normalisation. */
export interface NormalizeOptions {
  /** 0 for rewards as they were given, SUM_TIE for sums of rewards. */
  readonly tie?: number;
  /**
   * Reference of the relative tolerance `tie`, for each member; the member's value if absent. For sums whose terms may
   * cancel, it is the sum of the magnitudes of the terms. Rounding errors are as large as those magnitudes allow.
   */
  readonly magnitude?: BatchArray;
  /** Each member's baseline is the mean of the others. */
  readonly leaveOneOut?: boolean;
  /** Members whose entry is 0 are as if they were not there: nothing is written for them. */
  readonly retained?: BatchArray;
}

/** Normalises `value` within each list, by the rule's profile. */
export function normalizeStage(
  over: Segmentation,
  value: BatchArray,
  normalized: BatchArray,
  options: NormalizeOptions = {},
): Stage<NormalizationValues> {
  return normalizeStageBy(normalizationOf, over, value, normalized, options);
}

/** Normalises `value` within each list, by the corners that `normalization` derives from the rule's values. */
export function normalizeStageBy<Values>(
  normalization: (values: Values) => Normalization,
  over: Segmentation,
  value: BatchArray,
  normalized: BatchArray,
  { tie = 0, magnitude = value, leaveOneOut = false, retained }: NormalizeOptions = {},
): Stage<Values> {
  return {
    kernel: 'credit/segmented_normalize',
    bindings: {
      segmentOffset: over.offset,
      segmentMember: over.member,
      value,
      retained: retained ?? over.member,
      magnitude,
      normalized,
    },
    count: (view) => view.listCount(over),
    variants: bySize(over),
    uniforms: (values) => {
      const { ddof, epsilon, scale, singleton } = normalization(values);
      return {
        ddof,
        epsilon,
        scaleByStd: Number(scale === 'std'),
        rawSingleton: Number(singleton === 'raw'),
        tie,
        leaveOneOut: Number(leaveOneOut),
        masked: Number(retained !== undefined),
      };
    },
  };
}

/** Writes each trajectory's value to `advantage` of all its turns. */
export function broadcastStage(value: BatchArray): Stage<unknown> {
  return {
    kernel: 'credit/trajectory_broadcast',
    bindings: { turnOffset: trajectoryTurns.offset, turn: trajectoryTurns.member, value, advantage },
    count: countOf('trajectories'),
  };
}

/**
 * Writes `advantage`. The last turn has that of the outcome. Each turn before it has the sum of its turn advantage and the
 * weighted advantage of the next turn.
 * @param turnAdvantage [turns] normalised
 * @param weight name of the parameter of the rule that multiplies the advantage of the next turn
 */
export function turnCombineStage<Name extends string>(
  turnAdvantage: BatchArray,
  weight: Name,
): Stage<Readonly<Record<Name, number>>> {
  return {
    kernel: 'credit/turn_combine',
    bindings: {
      turnOffset: trajectoryTurns.offset,
      turn: trajectoryTurns.member,
      turnAdvantage,
      outcomeAdvantage,
      advantage,
    },
    count: countOf('trajectories'),
    uniforms: (values) => ({ alpha: values[weight] }),
  };
}

/**
 * Writes `advantage`: what each turn changed of a value, from before it to before the next; behind the last turn the value is
 * what the trajectory ended with.
 * @param finalValue [trajectories]
 * @param value [turns] before each turn
 * @param factors of `finalValue` in every turn's advantage, and of the value after a turn
 */
export function valueDifferenceStage<Values>(
  finalValue: BatchArray,
  value: BatchArray,
  factors: (values: Values) => { readonly share: number; readonly gamma: number },
): Stage<Values> {
  return {
    kernel: 'credit/value_difference',
    bindings: {
      turnOffset: trajectoryTurns.offset,
      turn: trajectoryTurns.member,
      finalValue,
      value,
      advantage,
    },
    count: countOf('trajectories'),
    uniforms: factors,
  };
}

/** The number of elements of a batch. */
export function countOf(extent: Extent): (view: ForestView) => number {
  return (view) => view.count(extent);
}
