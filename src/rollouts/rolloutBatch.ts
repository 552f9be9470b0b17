import type { Forest, Group, Turn, TurnFeedback } from './forest.ts';

/** Feedback of an environment for one turn, with additional data for metrics and views. */
export interface ReportedFeedback extends TurnFeedback {
  /** Summands of `reward` (on the last turn: of `outcome`), by name. */
  readonly components: Readonly<Record<string, number>>;
  /** Numbers about the turn from which metrics are computed, for example `{ toolUse: 1, retrieval: 0 }`. */
  readonly facts: Readonly<Record<string, number>>;
  /** Description of the turn in one short sentence, for example "answered Quito — right". */
  readonly summary: string;
  /** Program and test results; undefined if the turn is not a program. */
  readonly detail?: ProgramDetail;
  /** Call and response of a tool; undefined if the turn does not call a tool. */
  readonly tool?: ToolDetail;
}

/** One turn of a rollout with the feedback of its environment. */
export interface RolloutTurn extends ReportedFeedback {
  /** Index of the turn in the forest and in arrays of advantages. */
  readonly forestTurn: number;
}

/**
 * One sampled sequence of tokens. If each turn continues in the same context, the sequence is a complete rollout. A
 * turn with a fresh prompt, and each of several continuations of a turn, starts a separate sequence. In that sequence,
 * tokens of earlier turns are environment tokens. Attention covers all tokens; `turnOf` is at least 0 for tokens that
 * the policy wrote.
 */
export interface Rollout {
  /** Row in the token and log-probability tables of the GPU; also part of the key of its random draws. */
  readonly sequence: number;
  readonly group: number;
  /** [tokens] token ids, including environment tokens. */
  readonly tokens: Uint32Array;
  /** [tokens] index of the turn in this sequence that wrote the token, -1 for environment tokens. */
  readonly turnOf: Int32Array;
  /** [tokens] log-probability under the sampling policy [nats]; NaN for environment tokens. */
  readonly logProb: Float32Array;
  /** [tokens] entropy of the distribution of the token [nats]; NaN for environment tokens. */
  readonly entropy: Float32Array;
  /** Turns of the sequence. They are adjacent in the forest, and each is the parent of the next. */
  readonly turns: readonly RolloutTurn[];
  /** Probability of tool use at the token that decides on it; undefined if the environment has no such token. */
  readonly toolProbability: number | undefined;
}

/** Turns from a first turn to a last turn. In a tree, trajectories share their first turns. */
export interface Trajectory {
  readonly group: number;
  readonly turns: readonly RolloutTurn[];
}

/** Data sampled for one update. Rollouts are in the order of their turns in the forest. */
export interface RolloutBatch {
  readonly step: number;
  readonly groups: readonly Group[];
  readonly forest: Forest;
  readonly rollouts: readonly Rollout[];
  /** Trajectories of all groups, in the order of their last turns. */
  readonly trajectories: readonly Trajectory[];
  /** [groups + 1] index of the first rollout of each group. */
  readonly rolloutOffset: readonly number[];
  /** [groups] prompts as text for users. */
  readonly questions: readonly string[];
  /** Number of tokens that the policy wrote. */
  readonly policyTokens: number;
  /** Time for which collection waited for feedback of the environment [ms]; 0 if the feedback is immediate. */
  readonly executeMs: number;
}

// Details of a turn that views display. Credit rules do not read them.

/** Tool call and its response in readable form. */
export interface ToolDetail {
  readonly call: string;
  /** [lines][spans] text of the response. */
  readonly answer: readonly (readonly Span[])[];
}

/** Part of a line with the same mark. */
export interface Span {
  readonly text: string;
  /** `wrong`: differs from the right program; `changed`: written by the policy, and right. */
  readonly mark?: 'wrong' | 'changed';
}

/** Program of a turn with its test results. */
export interface ProgramDetail {
  /** Source code in readable form. */
  readonly program: string;
  /** Changes that the policy announced before the program; absent if it announced none. */
  readonly reflection?: string;
  /** Tests of the task. If the turn wrote tests, its tests instead; `program` is then the tested program. */
  readonly tests: readonly TestDetail[];
  /** Text that the policy received about the program; absent if the episode ended. */
  readonly feedback?: string;
  /** Score of a reward model, 0 to 1; absent if no reward model was used. */
  readonly modelReward?: number;
}

/** One unit test of a program. Values are Python literals. */
export interface TestDetail {
  readonly args: string;
  readonly expected: string;
  /** Returned value or exception. */
  readonly got: string;
  readonly passed: boolean;
  /** True if feedback in evaluations can show the test. */
  readonly visible: boolean;
  /** True if the right program also passes the test. Absent for tests of the task, which it always passes. */
  readonly agrees?: boolean;
}

// Code and protocol count groups and updates from 0. The page counts both from 1, and files count groups from 1. Only
// this file converts.

/** Position of a group in a run: its batch, and its index in the batch. */
interface GroupPosition {
  /** Number of updates before the group was sampled. */
  readonly step: number;
  readonly group: number;
  /** True if no update trains on the group. */
  readonly sampleOnly: boolean;
}

/** Returns the number of a group that users see, from 1. @param index index in the batch, from 0 */
export function groupNumber(index: number): number {
  return index + 1;
}

/** Returns the update of a group on the page: "update 4", or "after update 3" if no update trains on the group. */
export function groupUpdate({ step, sampleOnly }: Omit<GroupPosition, 'group'>): string {
  return sampleOnly ? `after update ${step}` : `update ${step + 1}`;
}

/** Returns the name of a group on the page, for example "update 4, group 1". */
export function groupName(position: GroupPosition): string {
  return `${groupUpdate(position)}, group ${groupNumber(position.group)}`;
}

/** Returns the id of a group in files, for example "step-3-group-1". @param index index in the batch, from 0 */
export function groupId(step: number, index: number): string {
  return `step-${step}-group-${groupNumber(index)}`;
}

/**
 * Joins the sequences of a group to complete rollouts, from a first turn to a leaf. A sequence that continues a turn of
 * another sequence receives the turns before it. A sequence that other sequences continue is not listed separately.
 * Returns rollouts without branches unchanged.
 * @param rollouts all sequences of the group. Each contains the tokens of the turns before it (no fresh prompts)
 */
export function completeRollouts(
  rollouts: readonly Rollout[],
  { parent }: Pick<RolloutBatch['forest'], 'parent'>,
): readonly Rollout[] {
  const sequenceOf = new Map(
    rollouts.flatMap((rollout) => rollout.turns.map(({ forestTurn }) => [forestTurn, rollout] as const)),
  );
  const before = ({ turns: [first] }: Rollout) => sequenceOf.get(parent[first.forestTurn]);
  const continued = new Set(rollouts.map(before));
  const joinRollout = (rollout: Rollout): Rollout => {
    const earlier = before(rollout);
    if (!earlier) return rollout;
    const prefix = joinRollout(earlier);
    const { length } = prefix.tokens;
    const joined = (first: Float32Array, rest: Float32Array) =>
      rest.map((value, at) => (at < length ? first[at] : value));
    return {
      ...rollout,
      turnOf: rollout.turnOf.map((turn, at) => {
        if (at < length) return prefix.turnOf[at];
        return turn < 0 ? turn : turn + prefix.turns.length;
      }),
      logProb: joined(prefix.logProb, rollout.logProb),
      entropy: joined(prefix.entropy, rollout.entropy),
      turns: [...prefix.turns, ...rollout.turns],
      toolProbability: prefix.toolProbability,
    };
  };
  return rollouts.filter((rollout) => !continued.has(rollout)).map(joinRollout);
}

// Means and shares over turns and trajectories, for the metrics of environments.

/** Returns the mean of numbers; null for an empty list. */
export function meanOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the share of members that meet a condition, 0 to 1; null for an empty list. */
export function share<Member>(
  members: readonly Member[],
  holds: (member: Member, index: number) => boolean,
): number | null {
  return members.length === 0 ? null : members.filter(holds).length / members.length;
}

/** Returns the mean of a fact over turns; null without turns. A turn without the fact counts as 0. */
export function meanFact(turns: readonly RolloutTurn[], fact: string): number | null {
  return meanOrNull(turns.map(({ facts }) => facts[fact] ?? 0));
}

/** Returns the mean of a fact over the turns that have it; null if no turn has it. */
export function meanOverTurnsWithFact(turns: readonly RolloutTurn[], fact: string): number | null {
  return meanOrNull(turns.filter(({ facts }) => facts[fact] !== undefined).map(({ facts }) => facts[fact]));
}

/** Returns true if a fact of a turn is above 0; false if the turn is undefined. */
export function hasFact(turn: RolloutTurn | undefined, fact: string): boolean {
  return (turn?.facts[fact] ?? 0) > 0;
}

/** Returns the largest value of a fact over the turns of a trajectory. A turn without the fact counts as 0. */
export function largestFact({ turns }: Pick<Trajectory, 'turns'>, fact: string): number {
  return turns.reduce((largest, { facts }) => Math.max(largest, facts[fact] ?? 0), 0);
}

/** Returns the last turn of each trajectory. */
export function lastTurns(trajectories: readonly Trajectory[]): RolloutTurn[] {
  return trajectories.map(({ turns }) => turns[turns.length - 1]);
}

/** Returns the outcome at the end of a trajectory; undefined if its last turn has no outcome. */
function outcomeOf({ turns }: Pick<Trajectory, 'turns'>): number | undefined {
  return turns.at(-1)?.outcome;
}

/**
 * Returns true if all trajectories of a group ended with the same outcome.
 * @param group index in the batch
 */
export function outcomesTie({ trajectories }: Pick<RolloutBatch, 'trajectories'>, group: number): boolean {
  return hasEqualValues(trajectories, group, outcomeOf);
}

/**
 * Returns true if all trajectories of a group have the same value.
 * @param group index in the batch
 */
export function hasEqualValues(
  trajectories: readonly Trajectory[],
  group: number,
  value: (trajectory: Trajectory) => unknown,
): boolean {
  return new Set(trajectories.filter((trajectory) => trajectory.group === group).map(value)).size <= 1;
}

/** Returns the batch with additional fields of its turns. @param fieldsOf returns the fields of a turn of the forest */
export function addToTurns<Batch extends Pick<RolloutBatch, 'groups' | 'forest'>>(
  batch: Batch,
  fieldsOf: (turn: number) => Partial<Turn>,
): Batch {
  const { forest } = batch;
  const groups = batch.groups.map((group, index) => ({
    ...group,
    turns: group.turns.map((turn, at) => ({ ...turn, ...fieldsOf(forest.groupOffset[index] + at) })),
  }));
  return { ...batch, groups, forest: { ...forest, groups } };
}
