import type { Forest, Group, TurnFeedback } from './forest.ts';
import type { ProgramDetail, ToolDetail } from './turnDetail.ts';

/** Description of a turn, with the data that people see. */
export interface ReportedFeedback extends TurnFeedback {
  /** The parts that `reward` (or, on the last turn, `outcome`) is the sum of, by name. */
  readonly components: Readonly<Record<string, number>>;
  /** Facts about the turn that metrics count, for example `{ toolUse: 1, retrieval: 0 }`. */
  readonly facts: Readonly<Record<string, number>>;
  /** Description of the turn in one short sentence, for example "answered Quito — right". */
  readonly summary: string;
  /** Details to show, if the turn was a program. */
  readonly detail?: ProgramDetail;
  /** The same where the turn called a tool. */
  readonly tool?: ToolDetail;
}

/** One turn of a rollout with what its environment said to it. */
export interface RolloutTurn extends ReportedFeedback {
  /** Index in the forest, by which advantages are looked up. */
  readonly forestTurn: number;
}

/**
 * One sequence with its tokens. If every turn continues in the same context, the sequence is a whole rollout. A turn
 * that starts from a fresh prompt, or is one of several continuations, begins a separate sequence. Tokens of turns
 * before count as the environment's in that sequence. Three masks, three arrays: length is attention, turnOf >= 0 is
 * the policy's tokens.
 */
export interface Rollout {
  /** Row in the GPU's token and log-probability tables; also what its draws are keyed by. */
  readonly sequence: number;
  readonly group: number;
  /** [tokens] */
  readonly tokens: Uint32Array;
  /** [tokens] turn of this sequence that wrote the token, -1 for the environment's tokens. */
  readonly turnOf: Int32Array;
  /** [tokens] log-probability when sampled, nats; NaN for the environment's tokens. */
  readonly logProb: Float32Array;
  /** [tokens] entropy of the distribution it was drawn from, nats; NaN for the environment's tokens. */
  readonly entropy: Float32Array;
  /** Adjacent in the forest, each the parent of the next. */
  readonly turns: readonly RolloutTurn[];
  /** Probability of using the tool where that was decided, where the environment has such a place. */
  readonly toolProbability: number | undefined;
}

/** The turns from a first one to a last one. In a tree, trajectories share their first turns. */
export interface Trajectory {
  readonly group: number;
  readonly turns: readonly RolloutTurn[];
}

/** Data sampled for one update. Rollouts are in the order of the forest's turns. */
export interface RolloutBatch {
  readonly step: number;
  readonly groups: readonly Group[];
  readonly forest: Forest;
  readonly rollouts: readonly Rollout[];
  /** In the order of their last turns. */
  readonly trajectories: readonly Trajectory[];
  /** [groups + 1] first rollout of each group. */
  readonly rolloutOffset: readonly number[];
  /** [groups] the prompts in words. */
  readonly questions: readonly string[];
  /** Tokens that the policy wrote. */
  readonly policyTokens: number;
  /** Milliseconds that verdicts were waited for; 0 where the environment answers at once. */
  readonly executeMs: number;
}
