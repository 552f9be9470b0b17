import { checkTokens, checkValues } from '../arithmetic/chains.ts';
import { listsBy, NO_LIST, withoutEmpty } from '../arithmetic/lists.ts';
import { type Normalization, type NormalizationValues, normalizationOf } from '../arithmetic/normalize.ts';
import { countResultUint32s, testCount, testResults } from '../arithmetic/unitTests.ts';
import type { Extent, ForestView } from './forestView.ts';
import { type BatchArray, type Segmentation, type Stage, type StageVariant, scratch, segmentation } from './stage.ts';

// Shared parts of the stages of several rules: arrays of the batch, lists of members, and common stages.

/** Reward R^I of each turn [turns]. */
export const reward: BatchArray = {
  label: 'reward',
  type: 'f32',
  extent: 'turns',
  fill: ({ forest }) => forest.reward,
};

/** Outcome R^O of each trajectory [trajectories]. */
export const outcome: BatchArray = {
  label: 'outcome',
  type: 'f32',
  extent: 'trajectories',
  fill: ({ outcomes }) => outcomes,
};

/** Advantage of each turn [turns], the result of a rule. The policy's loss reads it by turn index. */
export const advantage = scratch('advantage', 'turns');

/** Advantage of each token [tokens], the result of a token rule in place of `advantage`. */
export const tokenAdvantage = scratch('token advantage', 'tokens');
/** Return of each token [tokens], the target of the critic. */
export const tokenReturn = scratch('token return', 'tokens');

/** Offsets of the tokens of each turn [turns + 1]: turn k has the tokens tokenOffset[k] .. tokenOffset[k + 1] - 1. */
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

/** Critic's value before each token [tokens]. In training, another kernel writes it. */
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

/** Normalised outcome A^O of each trajectory [trajectories]. */
export const outcomeAdvantage = scratch('outcomeAdvantage', 'trajectories');

/** Turns of each trajectory, first to last. */
export const trajectoryTurns = segmentation(
  'turns of trajectories',
  'trajectories',
  'turns',
  ({ trajectories }) => trajectories.turns,
);

/** Trajectories of each group. */
export const groupTrajectories = segmentation('trajectories of groups', 'groups', 'trajectories', (view) =>
  listsBy(view.trajectories.group, view.groups),
);

/** Turns of each group. */
export const groupTurns = segmentation('turns of groups', 'groups', 'turns', ({ forest, turns }) => ({
  offset: forest.groupOffset,
  member: Uint32Array.from({ length: turns }, (_, turn) => turn),
}));

/** Turn l of the trajectories in which it is an intermediate turn, for each group and each l. */
export const groupTurnLevels = segmentation('turn levels of groups', 'turns', 'turns', ({ forest, trajectories }) => {
  const { of, turnIndex, turns, group } = trajectories;
  // Level l of a group has the number of its first turn + l, because a group has no more levels than turns.
  const keys = Uint32Array.from(of, (trajectory, turn) => {
    const last = turns.member[turns.offset[trajectory + 1] - 1];
    return turn === last ? NO_LIST : forest.groupOffset[group[trajectory]] + turnIndex[turn];
  });
  return withoutEmpty(listsBy(keys, keys.length));
});

/**
 * Relative tolerance within which the members of a segment count as equal, for sums of rewards. Float32 sums of rewards
 * that are equal on paper may differ in the last bits (0.1 + 0.2 and 0.3). The tolerance is relative to the largest
 * magnitude.
 */
export const SUM_TIE = 1e-6;

/**
 * Maximum size of a list that one invocation processes. A workgroup processes a longer list (segmented_normalize.wgsl).
 */
const SERIAL = 32;

/** Returns variants with LANES invocations per list: 1 for up to SERIAL members, a workgroup for longer lists. */
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
interface NormalizeOptions {
  /** Relative tolerance within which members are equal: 0 for rewards of the input, SUM_TIE for sums of rewards. */
  readonly tie?: number;
  /**
   * Magnitude of each member to which `tie` is relative; the member's value if absent. For sums whose terms may cancel,
   * it is the sum of the magnitudes of the terms, which bounds the rounding error.
   */
  readonly magnitude?: BatchArray;
  /** True if the baseline of each member is the mean of the other members. */
  readonly leaveOneOut?: boolean;
  /** Mask of members. A member with entry 0 is ignored, and its result is not written. */
  readonly retained?: BatchArray;
  /** Number of rollouts in the group of each member, if a list can be part of a group (`normalize`). */
  readonly rollouts?: BatchArray;
}

/** Creates a stage that normalises `value` within each list, by the profile of the rule. */
export function normalizeStage(
  over: Segmentation,
  value: BatchArray,
  normalized: BatchArray,
  options: NormalizeOptions = {},
): Stage<NormalizationValues> {
  return normalizeStageBy(normalizationOf, over, value, normalized, options);
}

/**
 * Creates a stage that normalises `value` within each list, by the options that `normalization` derives from the rule's
 * values.
 */
export function normalizeStageBy<Values>(
  normalization: (values: Values) => Normalization,
  over: Segmentation,
  value: BatchArray,
  normalized: BatchArray,
  { tie = 0, magnitude = value, leaveOneOut = false, retained, rollouts }: NormalizeOptions = {},
): Stage<Values> {
  return {
    kernel: 'credit/segmented_normalize',
    bindings: {
      segmentOffset: over.offset,
      segmentMember: over.member,
      value,
      retained: retained ?? over.member,
      magnitude,
      rollouts: rollouts ?? over.member,
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
        partial: Number(rollouts !== undefined),
      };
    },
  };
}

/** Creates a stage that writes the value of each trajectory to `advantage` of all its turns. */
export function broadcastStage(value: BatchArray): Stage<unknown> {
  return {
    kernel: 'credit/trajectory_broadcast',
    bindings: { turnOffset: trajectoryTurns.offset, turn: trajectoryTurns.member, value, advantage },
    count: countOf('trajectories'),
  };
}

/**
 * Creates a stage that writes `advantage`. The last turn has the advantage of the outcome. An earlier turn has the sum
 * of its turn advantage and the weighted advantage of the next turn.
 * @param turnAdvantage [turns] normalised
 * @param weight name of the rule's parameter that multiplies the advantage of the next turn
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
 * Creates a stage that writes `advantage`: the change of a value from before each turn to before the next turn. After
 * the last turn, the value is `finalValue`.
 * @param finalValue [trajectories]
 * @param value [turns] value before each turn
 * @param factors of `finalValue` in the advantage of every turn (`share`), and of the value after a turn (`gamma`)
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

/** Returns a function that counts the items of an extent in a batch. */
export function countOf(extent: Extent): (view: ForestView) => number {
  return (view) => view.count(extent);
}

// Results of unit tests in the layout of the GPU: one bit per turn and test.

/** Offsets of the tests of each group [groups + 1]: group g has the tests testOffset[g] .. testOffset[g + 1] - 1. */
export const testOffset: BatchArray = {
  label: 'test offset',
  type: 'u32',
  extent: 'groups',
  extra: 1,
  fill: (view) => view.once(packedResults).testOffset,
};

/** Offsets of the words of `passed` of each group [groups + 1]. */
export const resultOffset: BatchArray = {
  label: 'result offset',
  type: 'u32',
  extent: 'groups',
  extra: 1,
  fill: (view) => view.once(packedResults).resultOffset,
};

/**
 * Test results [results], one bit per turn and test. With n turns in group g, test j of turn t is bit t % 32 of word
 * resultOffset[g] + j ceil(n / 32) + floor(t / 32). The pass rate of a test is therefore a count of set bits.
 */
export const passed: BatchArray = {
  label: 'passed',
  type: 'u32',
  extent: 'results',
  fill: (view) => view.once(packedResults).packed,
};

interface PackedResults {
  readonly testOffset: Uint32Array;
  readonly resultOffset: Uint32Array;
  readonly packed: Uint32Array;
}

/** Packs the test results of a batch. @throws {CreditError} in the cases of testResults() */
function packedResults({ forest: { groups } }: ForestView): PackedResults {
  const testOffset = new Uint32Array(groups.length + 1);
  const resultOffset = new Uint32Array(groups.length + 1);
  groups.forEach((group, index) => {
    testOffset[index + 1] = testOffset[index] + testCount(group);
    resultOffset[index + 1] = resultOffset[index] + countResultUint32s(group);
  });
  const packed = new Uint32Array(resultOffset[groups.length]);
  groups.forEach((group, index) => {
    const results = testResults(group);
    const stride = Math.ceil(results.length / 32);
    for (let turn = 0; turn < results.length; turn++) {
      const passed = results[turn];
      let position = resultOffset[index] + (turn >>> 5);
      for (let test = 0; test < passed.length; test++, position += stride)
        packed[position] |= passed[test] << (turn & 31);
    }
  });
  return { testOffset, resultOffset, packed };
}
