import type { CreditRule } from '../../credit/rule.ts';
import type { Episode, StepResult, Timing } from '../../environments/environment.ts';
import type { RegisteredEnvironment } from '../../environments/registry.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { buildForest, type Group, pickTurnFeedback, type Turn } from '../../rollouts/forest.ts';
import {
  groupId,
  type Rollout,
  type RolloutBatch,
  type RolloutTurn,
  type Trajectory,
} from '../../rollouts/rolloutBatch.ts';

/** Distribution of the continuations of a level over the turns that continue. */
export type Continuations = 'even' | 'spread';

/** Shape of the rollouts of a task under a rule. */
export interface Layout {
  /** Number of first turns of a task, then of continuations per turn at each level (CollectRequest.branching). */
  readonly branching: readonly number[];
  /** Distribution of the continuations; even if absent. */
  readonly continuations?: Continuations;
  /** Maximum number of turns of a trajectory. */
  readonly turns: number;
}

/**
 * Returns the layout of a rule: trees for rules that read trees, chains for other rules. In trees of programs, each
 * turn has several continuations. If turns continue in their sequence, the last possible turn is sampled once from each
 * state.
 * @param maxTurns maximum number of turns in the environment
 */
export function layoutOf(
  rule: CreditRule,
  controls: ParameterValues,
  { singleTurn }: Pick<RegisteredEnvironment, 'singleTurn'>,
  maxTurns: number,
): Layout {
  const number = (name: string) => controls[name] as number;
  if (rule.input === 'forest' && controls.treeRoots !== undefined) {
    const continuations = controls.continuations as Continuations;
    return { branching: [number('treeRoots'), number('treeChildren')], continuations, turns: maxTurns };
  }
  if (rule.input === 'forest' && controls.branches !== undefined) {
    const between = Array.from({ length: maxTurns - 2 }, () => number('branches'));
    return { branching: [number('groupSize'), ...between, 1], turns: maxTurns };
  }
  if (!singleTurn.includes(rule.name)) return { branching: [number('groupSize'), 1], turns: maxTurns };
  return { branching: [number(controls.singleSize === undefined ? 'groupSize' : 'singleSize')], turns: 1 };
}

/** Returns [levels] the maximum number of turns of one task at each level. */
function levelSizes({ branching, turns }: Layout): number[] {
  const sizes: number[] = [];
  for (let depth = 0; depth < turns; depth++) sizes.push((sizes[depth - 1] ?? 1) * widthAt(branching, depth));
  return sizes;
}

/** Returns the number of continuations of a turn at a level; the last number applies to all further levels. */
export function widthAt(branching: readonly number[], level: number): number {
  return branching[Math.min(level, branching.length - 1)];
}

/** Returns the maximum number of turns of one task. */
export function computeMaxTurns(layout: Layout): number {
  return levelSizes(layout).reduce((sum, size) => sum + size, 0);
}

/**
 * Returns the maximum number of sequences of one task, if an only continuation continues in the sequence of its parent.
 */
export function computeMaxSequences(layout: Layout): number {
  const opens = (depth: number) => depth === 0 || widthAt(layout.branching, depth) > 1;
  return levelSizes(layout).reduce((sum, size, depth) => (opens(depth) ? sum + size : sum), 0);
}

/** Error for trees that exceed the capacity of the engine. */
export class TooLargeError extends Error {}

/**
 * Checks that one tree fits. Skipped for environments with a budget of programs, in which each turn is a sequence and
 * the number of turns is not known in advance. There, the Collector leaves out groups that do not fit.
 * @param sequences capacity of the engine
 * @throws {TooLargeError} if a tree can exceed the capacity
 */
export function checkTreeCapacity(layout: Layout, { programs, branches }: ParameterValues, sequences: number): void {
  const maximum = computeMaxSequences(layout);
  if (programs !== undefined || maximum <= sequences) return;
  throw new TooLargeError(
    `with ${layout.branching[0]} first turns, ${branches} turns from a state and up to ${layout.turns} turns a tree can take ` +
      `${maximum} sequences, and there is room for ${sequences}; lower branches or groupSize`,
  );
}

/** Sequence during collection. */
export interface RunningSequence {
  /** Row of the token table. */
  number: number;
  readonly group: number;
  readonly tokens: number[];
  /** [tokens] index in `turns`, -1 for tokens that the policy did not write in this sequence. */
  readonly turnOf: number[];
  readonly turns: CollectedTurn[];
  /** Number of tokens in the key-value cache. */
  cached: number;
  toolProbability: number | undefined;
}

/** Turn of the forest during collection. */
export interface CollectedTurn {
  readonly sequence: RunningSequence;
  readonly parent: CollectedTurn | undefined;
  /** Continuations of the turn, in the order of sampling. */
  readonly children: CollectedTurn[];
  /** Result of the turn. Replaced if a reward model sets the rewards (`payTurns`). */
  stepResult: StepResult;
  /** Number of tokens that the policy wrote. */
  readonly length: number;
}

/** Turn that is sampled next. */
export interface PendingTurn {
  readonly sequence: RunningSequence;
  readonly episode: Episode<Timing>;
  readonly parent: CollectedTurn | undefined;
  /** Number of earlier turns of the episode. */
  readonly turn: number;
}

/** Creates a sequence from tokens that the policy did not write. @param number row of the token table */
export function openSequence(number: number, group: number, tokens: readonly number[]): RunningSequence {
  return {
    number,
    group,
    tokens: [...tokens],
    turnOf: tokens.map(() => -1),
    turns: [],
    cached: 0,
    toolProbability: undefined,
  };
}

/** Adds a finished turn to its sequence and its parent. @param length number of tokens that the policy wrote */
export function addTurn(
  { sequence, parent }: Pick<PendingTurn, 'sequence' | 'parent'>,
  stepResult: StepResult,
  length: number,
): CollectedTurn {
  const turn: CollectedTurn = { sequence, parent, children: [], stepResult, length };
  sequence.turns.push(turn);
  parent?.children.push(turn);
  return turn;
}

/**
 * Returns the tokens before a turn of a sequence, and the tokens that the policy wrote in the turn.
 * @param turn index among the turns of the sequence
 */
export function turnTokens(
  { tokens, turnOf }: { readonly tokens: ArrayLike<number>; readonly turnOf: ArrayLike<number> },
  turn: number,
): { readonly before: readonly number[]; readonly written: readonly number[] } {
  const mask = Array.from(turnOf, (of) => of === turn);
  const all = Array.from(tokens);
  return { before: all.slice(0, mask.indexOf(true)), written: all.filter((_, at) => mask[at]) };
}

/** Groups whose turns are sampled together. */
export interface Wave {
  /** Index of the first group, and index after the last group. */
  readonly from: number;
  readonly until: number;
  /** Turns that are sampled next or wait for feedback. */
  pendingTurns: readonly PendingTurn[];
  /** All sequences so far. */
  readonly sequences: RunningSequence[];
  /** [pending turns] number of tokens that the policy wrote. */
  lengths: readonly number[];
  /** [pending turns] tokens that the policy wrote; undefined after they were passed to the environment. */
  written: readonly (readonly number[])[] | undefined;
  /** [pending turns] step results of the environment; undefined before they are requested. */
  evaluated: readonly StepResult[] | Promise<readonly StepResult[]> | undefined;
}

/**
 * Creates a batch. Its forest is in depth-first order, so parents precede their children and chains are adjacent.
 * @param roots [groups] first turns, in the order of their sequences
 * @param sampled [sequences, context, 4] values of each sampled token: the log-probability, the entropy, and two others
 */
export function gather(
  roots: readonly (readonly CollectedTurn[])[],
  sampled: Float32Array,
  context: number,
  { step, ...rest }: Pick<RolloutBatch, 'step' | 'questions' | 'executeMs'>,
): RolloutBatch {
  const order = roots.map(depthFirst);
  const groups = order.map((turns, index): Group => {
    const positions = new Map(turns.map((turn, at) => [turn, at]));
    const forestTurn = (turn: CollectedTurn): Turn => ({
      parent: turn.parent ? (positions.get(turn.parent) as number) : -1,
      ...pickTurnFeedback(turn.stepResult),
      tokens: turn.length,
      logProb: logProbOf(turn, sampled, context),
    });
    return { id: groupId(step, index), turns: turns.map(forestTurn) };
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
    ...rest,
    groups,
    forest: buildForest(groups),
    rollouts,
    trajectories,
    rolloutOffset: offsets(rollouts, groups.length),
    policyTokens: all.reduce((sum, { length }) => sum + length, 0),
  };
}

/** Returns turns with their continuations, depth first. */
export function depthFirst(turns: readonly CollectedTurn[]): CollectedTurn[] {
  return turns.flatMap((turn) => [turn, ...depthFirst(turn.children)]);
}

/** Returns the log-probability of a turn's tokens, at most 0: rounding can result in a probability above 1. */
function logProbOf(turn: CollectedTurn, sampled: Float32Array, context: number): number {
  const { number, turns, turnOf } = turn.sequence;
  const turnIndex = turns.indexOf(turn);
  return Math.min(
    0,
    turnOf.reduce((sum, of, at) => (of === turnIndex ? sum + sampled[4 * (number * context + at)] : sum), 0),
  );
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
