import { buildForest, type Group, pickTurnFeedback, type Turn } from '../../rollouts/forest.ts';
import {
  groupName,
  type Rollout,
  type RolloutBatch,
  type RolloutTurn,
  type Trajectory,
} from '../../rollouts/rolloutBatch.ts';
import type { CollectedTurn, RunningSequence } from './runningSequence.ts';

/** Data of a collector after all episodes have ended. */
export interface Collected {
  readonly step: number;
  /** [groups] first turns, in the order of their sequences. */
  readonly roots: readonly (readonly CollectedTurn[])[];
  /** [groups] prompts as text for users. */
  readonly questions: readonly string[];
  /** [sequences, context, 4] values of each sampled token. The first is the log-probability, the second the entropy. */
  readonly sampled: Float32Array;
  readonly context: number;
  readonly executeMs: number;
}

/** Creates a batch. Its forest is in depth-first order, so parents precede their children and chains are adjacent. */
export function gather({ step, roots, questions, sampled, context, executeMs }: Collected): RolloutBatch {
  const order = roots.map(depthFirst);
  const groups = order.map((turns, index): Group => {
    const positions = new Map(turns.map((turn, at) => [turn, at]));
    const forestTurn = (turn: CollectedTurn): Turn => {
      const { parent, stepResult, length } = turn;
      const at = parent ? (positions.get(parent) as number) : -1;
      return {
        parent: at,
        ...pickTurnFeedback(stepResult),
        tokens: length,
        logProb: logProbOf(turn, sampled, context),
      };
    };
    return { id: groupName(step, index), turns: turns.map(forestTurn) };
  });
  const all = order.flat();
  const rolloutTurns = new Map(
    all.map((turn, at): [CollectedTurn, RolloutTurn] => [turn, { ...turn.stepResult, forestTurn: at }]),
  );
  const findRolloutTurn = (turn: CollectedTurn) => rolloutTurns.get(turn) as RolloutTurn;
  const rollouts = all
    .filter((turn) => turn.sequence.turns[0] === turn)
    .map(({ sequence }) => rolloutOf(sequence, sampled, context, sequence.turns.map(findRolloutTurn)));
  const trajectories = all
    .filter(({ children }) => children.length === 0)
    .map((leaf): Trajectory => ({ group: leaf.sequence.group, turns: lineage(leaf).map(findRolloutTurn) }));
  return {
    step,
    groups,
    forest: buildForest(groups),
    rollouts,
    trajectories,
    rolloutOffset: offsets(rollouts, groups.length),
    questions,
    policyTokens: all.reduce((sum, { length }) => sum + length, 0),
    executeMs,
  };
}

function depthFirst(roots: readonly CollectedTurn[]): CollectedTurn[] {
  const order: CollectedTurn[] = [];
  const waiting = [...roots].reverse();
  for (let turn = waiting.pop(); turn; turn = waiting.pop()) {
    order.push(turn);
    waiting.push(...[...turn.children].reverse());
  }
  return order;
}

/** Returns the log-probability of a turn's tokens, at most 0: rounding can result in a probability above 1. */
function logProbOf(turn: CollectedTurn, sampled: Float32Array, context: number): number {
  const { number, turns, turnOf } = turn.sequence;
  const turnIndex = turns.indexOf(turn);
  const logProb = turnOf.reduce(
    (sum, of, at) => (of === turnIndex ? sum + sampled[4 * (number * context + at)] : sum),
    0,
  );
  return Math.min(0, logProb);
}

/** Returns the path from the first turn to a leaf. */
function lineage(leaf: CollectedTurn): CollectedTurn[] {
  const path: CollectedTurn[] = [];
  for (let turn: CollectedTurn | undefined = leaf; turn; turn = turn.parent) path.unshift(turn);
  return path;
}

/** Returns [groups + 1] the first rollout of each group. @param rollouts rollouts sorted by group */
function offsets(rollouts: readonly Rollout[], groups: number): number[] {
  const starts = new Array<number>(groups + 1).fill(0);
  for (const { group } of rollouts) starts[group + 1]++;
  for (let group = 0; group < groups; group++) starts[group + 1] += starts[group];
  return starts;
}

function rolloutOf(
  { number, group, tokens, turnOf, toolProbability }: RunningSequence,
  sampled: Float32Array,
  context: number,
  turns: readonly RolloutTurn[],
): Rollout {
  const start = number * context;
  const pick = (column: number) =>
    Float32Array.from(turnOf, (turn, at) => (turn < 0 ? NaN : sampled[4 * (start + at) + column]));
  return {
    sequence: number,
    group,
    tokens: Uint32Array.from(tokens),
    turnOf: Int32Array.from(turnOf),
    logProb: pick(0),
    entropy: pick(1),
    turns,
    toolProbability,
  };
}
