import type { Forest, Group, TurnFeedback } from './forest.ts';
import type { ProgramDetail, ToolDetail } from './turnDetail.ts';

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
