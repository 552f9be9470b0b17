import type { Values } from '../../../parameters/parameters.ts';
import { childrenOf, type Group } from '../../../rollouts/forest.ts';
import { findLeafTurns, siblingValues } from '../../arithmetic/chains.ts';
import { listsBy, NO_LIST, withoutEmpty } from '../../arithmetic/lists.ts';
import { mean, NORMALIZATION, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
import { responseGroups } from '../../arithmetic/responseGroups.ts';
import { advantage, normalizeStage } from '../../gpu/batchArrays.ts';
import {
  batchResponses,
  groupLastTurns,
  groupRollouts,
  lastOutcome,
  lastTurns,
  responses,
} from '../../gpu/batchResponses.ts';
import { type BatchArray, type Stage, scratch, segmentation } from '../../gpu/stage.ts';
import { creditRule } from '../../rule.ts';
import { ABSENT, peerStage, subtractPeers } from '../grpo/absentTurns.ts';
import { ALPHA } from '../grpo/mtGrpo.ts';

const PARAMETERS = [ALPHA, ABSENT, ...NORMALIZATION] as const;
type ExactValues = Values<typeof PARAMETERS>;

/** Group in the form that this rule reads. */
interface Tree {
  /** Children of each turn [turns]; empty for a last turn. */
  readonly children: readonly (readonly number[])[];
  /** Last turns, ascending. */
  readonly last: readonly number[];
  /** R^O of each last turn. */
  readonly outcomes: readonly number[];
  /** Turns from the same state whose R^I are compared. */
  readonly siblings: readonly (readonly number[])[];
  /** R^I of each turn [turns], 0 for a last turn. */
  readonly reward: readonly number[];
}

/**
 * Reads a group as a tree.
 * @throws {CreditError | ForestError} for a wrong parent, a reward that is not finite, or a last turn without an
 *   outcome
 */
export function readTree(group: Group, { absent }: ExactValues): Tree {
  const all = responseGroups(group);
  const children = childrenOf(group);
  const isLast = children.map(({ length }) => length === 0);
  return {
    children,
    ...findLeafTurns(group),
    siblings: all
      .map(({ members }) => members.filter((turn) => absent !== 'leave' || !isLast[turn]))
      .filter(({ length }) => length > 0),
    reward: group.turns.map(({ reward }, turn) => (isLast[turn] ? 0 : reward)),
  };
}

/** Turns from the same state that other turns continue. */
const continuedSiblings = segmentation('continued turns of response groups', 'turns', 'turns', (view) => {
  const last = view.once(lastTurns);
  const { of, parent } = view.once(batchResponses);
  return withoutEmpty(
    listsBy(
      of.map((list, turn) => (last[turn] === 1 ? NO_LIST : list)),
      parent.length,
    ),
  );
});

/** Continuations of each turn. */
const continuations = segmentation('continuations of turns', 'turns', 'turns', ({ forest: { parent }, turns }) =>
  listsBy(
    Uint32Array.from(parent, (turn) => (turn < 0 ? NO_LIST : turn)),
    turns,
  ),
);

/** Turns of each level; first turns have level 0. */
const levels = segmentation('turns of levels', 'turns', 'turns', ({ forest: { depth } }) =>
  listsBy(
    depth,
    depth.reduce((deepest, level) => Math.max(deepest, level + 1), 0),
  ),
);

/** R^I of each turn [turns], 0 for a last turn. */
const intermediateReward: BatchArray = {
  label: 'reward of intermediate turns',
  type: 'f32',
  extent: 'turns',
  fill: (view) => {
    const last = view.once(lastTurns);
    return view.forest.reward.map((value, turn) => (last[turn] === 1 ? 0 : value));
  },
};

const turnAdvantage = scratch('turnAdvantage of siblings', 'turns');
const outcomeAdvantage = scratch('outcomeAdvantage of last turns', 'turns');

/** Number of rollouts of each turn for `peerStage` [turns]: 1, because a turn without siblings keeps its advantage. */
const single: BatchArray = {
  label: 'rollouts of a lone turn',
  type: 'u32',
  extent: 'turns',
  fill: ({ turns }) => new Uint32Array(turns).fill(1),
};

const combine: Stage<ExactValues> = {
  kernel: 'credit/tree_combine',
  bindings: {
    levelTurn: levels.member,
    childOffset: continuations.offset,
    child: continuations.member,
    turnAdvantage,
    outcomeAdvantage,
    advantage,
  },
  levels: (view) => view.listCount(levels),
  count: (view, level) => {
    const { offset } = view.lists(levels);
    return offset[level + 1] - offset[level];
  },
  uniforms: ({ alpha, absent }, view, level) => ({
    first: view.lists(levels).offset[level],
    alpha,
    lastCompared: Number(absent !== 'leave'),
  }),
};

/**
 * Exact MT-GRPO. The paper leaves two points open. The first is the set of rollouts over which outcomes are compared:
 * here the complete group, as in the paper's case of two turns. The second is the share of the outcomes for a turn that
 * several turns continue: here their mean. With two turns and one last turn per state, the rule equals MT-GRPO.
 */
export const mtGrpoExact = creditRule({
  name: 'mt-grpo-exact',
  title: 'MT-GRPO exact',
  family: 'tree',
  input: 'forest',
  reads: ['outcome'],
  requiresTurnRewards: true,
  turns: 'steps',
  unit: 'turn',
  parameters: PARAMETERS,
  laws: {
    parameters: { epsilon: 0 },
    shift: ['reward', 'outcome'],
    scale: 'same',
    zeroSums: ({ intermediate: { turnAdvantage, outcomeAdvantage } }, group) =>
      [[...outcomeAdvantage], ...siblingValues(group, turnAdvantage)].map((values) =>
        values.filter((value) => !Number.isNaN(value)),
      ),
  },

  credit(group, values) {
    const normalization = normalizationOf(values);
    const { children, last, outcomes, siblings, reward } = readTree(group, values);
    const O = normalize(outcomes, normalization);
    const none = () => new Float64Array(group.turns.length).fill(NaN);
    const [turnAdvantage, turnMean, turnStd, outcomeAdvantage] = [none(), none(), none(), none()];
    last.forEach((turn, position) => {
      outcomeAdvantage[turn] = O.advantage[position];
    });
    for (const members of siblings) {
      const I = normalize(rewardsOf(reward, members), normalization, last.length);
      members.forEach((turn, position) => {
        turnAdvantage[turn] = I.advantage[position];
        turnMean[turn] = I.mean;
        turnStd[turn] = I.std;
      });
    }
    // Backwards, because the continuations of a turn have larger indices.
    const S = new Float64Array(group.turns.length);
    for (let turn = S.length - 1; turn >= 0; turn--) {
      const after = children[turn];
      if (after.length > 0) S[turn] = turnAdvantage[turn] + values.alpha * mean(after.map((next) => S[next]));
      else S[turn] = (values.absent === 'leave' ? 0 : turnAdvantage[turn]) + outcomeAdvantage[turn];
    }
    const comparesPeers = values.absent === 'leave-one-out';
    return {
      advantage: comparesPeers ? subtractPeers(S, siblings, 1) : S,
      intermediate: {
        ...{ turnAdvantage, turnMean, turnStd, outcomeAdvantage },
        ...(comparesPeers ? { sharedAdvantage: S } : {}),
      },
    };
  },

  compared(group, values) {
    const { outcomes, siblings, reward } = readTree(group, values);
    return [outcomes, ...siblings.map((members) => rewardsOf(reward, members))];
  },

  outputs: {},
  stages: [
    normalizeStage(groupLastTurns, lastOutcome, outcomeAdvantage),
    {
      ...normalizeStage(continuedSiblings, intermediateReward, turnAdvantage, { rollouts: groupRollouts }),
      when: ({ absent }) => absent === 'leave',
    },
    {
      ...normalizeStage(responses, intermediateReward, turnAdvantage, { rollouts: groupRollouts }),
      when: ({ absent }) => absent !== 'leave',
    },
    combine,
    peerStage(responses, single),
  ],
});

/** Returns R^I of some turns [members]. */
export function rewardsOf(reward: readonly number[], members: readonly number[]): number[] {
  return members.map((turn) => reward[turn]);
}
