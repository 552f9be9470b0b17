import { listAt, NO_LIST } from '../arithmetic/lists.ts';
import { deviations, LISTED, type PruningValues, variance } from '../arithmetic/responseGroups.ts';
import { advantage, bySize, countOf } from './batchArrays.ts';
import { batchResponses, responses, span } from './batchResponses.ts';
import type { ForestView } from './forestView.ts';
import { type BatchArray, type Segmentation, type Stage, scratch, segmentation } from './stage.ts';

// Pruning of a complete batch. Both prunings run the same kernel over different lists. IntraP ranks the turns of a
// response group by their deviations. InterP ranks the refinement groups of a prompt by their variances. First turns
// come first, so that a continuation of a pruned turn is also pruned. A last stage combines both prunings for all
// turns.

/** Number of levels at which a list can prune turns. The list of InterP begins at the second turn. */
const PRUNED_LEVELS = LISTED + 1;
const ALL = 0xffffffff;

/** Mask of retained turns [turns]: 0 if a turn is pruned. */
export const retained = scratch('retained', 'turns', 'u32');

const retainedTurn = scratch('turn kept by IntraP', 'turns', 'u32');
/** Mask of the response groups that InterP retains [response groups]. */
const retainedGroup = scratch('response group kept by InterP', 'turns', 'u32');

/** Creates an array of float64 numbers as low and high words. Non-negative numbers have the order of their bits. */
function float64Array(label: string, fill: (view: ForestView) => Float64Array): BatchArray {
  return { label, type: 'u32', extent: 'turns', width: 2, fill: (view) => new Uint32Array(fill(view).buffer) };
}

/** Squared deviation (R - mean of the response group)^2 of each turn [turns]. */
const deviation = float64Array('squared deviation', (view) => view.once(batchScores).deviation);

/** Population variance of the rewards of each response group [response groups]. */
const groupVariance = float64Array('variance of a response group', (view) => view.once(batchScores).variance);

function batchScores(view: ForestView): { readonly deviation: Float64Array; readonly variance: Float64Array } {
  const lists = view.lists(responses);
  const scores = { deviation: new Float64Array(view.turns), variance: new Float64Array(lists.offset.length - 1) };
  for (let group = 0; group < scores.variance.length; group++) {
    const members = listAt(lists, group);
    const squares = deviations(view.forest.reward, members);
    scores.variance[group] = variance(squares);
    for (let position = 0; position < members.length; position++)
      scores.deviation[members[position]] = squares[position];
  }
  return scores;
}

/** Turn that each turn continues [turns]. */
const parentTurn = turnNumbers('parent turn', ({ forest }) =>
  Uint32Array.from(forest.parent, (turn) => (turn < 0 ? NO_LIST : turn)),
);
/** Response group of the turn that each response group continues [response groups]. */
const groupAbove = turnNumbers('response group above', (view) => {
  const { parent, of } = view.once(batchResponses);
  return parent.map((turn) => (turn === NO_LIST ? NO_LIST : of[turn]));
});

/** Response group of each turn [turns]. */
const responseGroup = turnNumbers('response group', (view) => view.once(batchResponses).of);

/**
 * Turn that determines the pruning of each turn [turns]: the turn itself, or its ancestor at the last of PRUNED_LEVELS.
 */
const anchor = turnNumbers('last turn that lists can drop', ({ forest: { parent, depth } }) => {
  const ancestors = new Uint32Array(parent.length);
  for (let turn = 0; turn < ancestors.length; turn++) {
    ancestors[turn] = depth[turn] < PRUNED_LEVELS ? turn : ancestors[parent[turn]];
  }
  return ancestors;
});

function turnNumbers(label: string, fill: (view: ForestView) => Uint32Array): BatchArray {
  return { label, type: 'u32', extent: 'turns', fill };
}

/** Response groups of each prompt and turn number, ordered by turn number. */
const rivals = segmentation('response groups of prompts', 'turns', 'turns', (view) => view.once(batchRivals).groups);

function batchRivals(view: ForestView) {
  const { group, start } = view.once(batchResponses);
  const member = Uint32Array.from(group, (_, at) => at);
  const offset = new Uint32Array(group.length + 1);
  const levelStart = new Uint32Array(start.length);
  let lists = 0;
  for (let level = 0; level + 1 < start.length; level++) {
    for (let at = start[level]; at < start[level + 1]; at++) {
      if (at === start[level] || group[at] !== group[at - 1]) lists++;
      offset[lists] = at + 1;
    }
    levelStart[level + 1] = lists;
  }
  return { groups: { offset: offset.subarray(0, lists + 1), member }, start: levelStart };
}

/** Data of one pruning: the lists of members that it ranks, by level, and the number of retained members. */
interface Ranking {
  readonly over: Segmentation;
  readonly start: (view: ForestView) => Uint32Array;
  readonly score: BatchArray;
  readonly above: BatchArray;
  readonly retainedFlags: BatchArray;
  /** Numbers of members to retain, by level. */
  readonly numbers: (values: PruningValues) => readonly number[];
  /** Level of the first number. */
  readonly from: number;
}

const INTRA_RANKING: Ranking = {
  over: responses,
  start: (view) => view.once(batchResponses).start,
  score: deviation,
  above: parentTurn,
  retainedFlags: retainedTurn,
  numbers: ({ intra }) => intra,
  from: 0,
};

const INTER_RANKING: Ranking = {
  over: rivals,
  start: (view) => view.once(batchRivals).start,
  score: groupVariance,
  above: groupAbove,
  retainedFlags: retainedGroup,
  numbers: ({ inter }) => inter,
  from: 1,
};

/** Creates one stage per level, first turns first. */
function createSelectionStages({
  over,
  start,
  score,
  above,
  retainedFlags,
  numbers,
  from,
}: Ranking): Stage<PruningValues>[] {
  return Array.from({ length: PRUNED_LEVELS }, (_, level) => ({
    kernel: 'credit/select_largest',
    bindings: { listOffset: over.offset, listMember: over.member, score, above, retainedFlags },
    count: (view) => span(start(view), level).count,
    constants: { NO_LIST },
    variants: bySize(over),
    when: (values) => numbers(values).length > 0,
    uniforms: (values, view) => ({
      first: span(start(view), level).first,
      limit: numbers(values)[level - from] ?? ALL,
    }),
  }));
}

/** Stages that overwrite `retained`, which start_backup.wgsl initialises to 1. Pruned turns have advantage 0. */
export const PRUNING_STAGES: readonly Stage<PruningValues>[] = [
  ...createSelectionStages(INTRA_RANKING),
  ...createSelectionStages(INTER_RANKING),
  {
    kernel: 'credit/retain_turns',
    bindings: { anchor, responseGroup, retainedTurn, retainedGroup, retained, advantage },
    count: countOf('turns'),
    when: ({ intra, inter }) => intra.length + inter.length > 0,
    uniforms: ({ intra, inter }) => ({ intra: Number(intra.length > 0), inter: Number(inter.length > 0) }),
  },
];
