import type { LogLocation } from './importError.ts';

/** Chat message of a log. */
export interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly [field: string]: unknown;
}

/** First input of the policy: text or messages. */
export type Prompt = string | readonly Message[];

/** One generation of the policy in a log. */
export interface LoggedTurn {
  readonly text: string;
  /** Reward of the turn; undefined if the log has no turn rewards. */
  readonly reward?: number | undefined;
  /** Number of tokens that the policy wrote; undefined if the log has no counts. */
  readonly tokens?: number | undefined;
  /** Earlier actions of the policy (state) and its action in the turn, for rules that compare states. */
  readonly state?: string | undefined;
  readonly action?: string | undefined;
  /** Response of the environment. */
  readonly observation?: readonly Message[] | undefined;
  /** Text before the turn, if it differs from the previous turn and its observation. */
  readonly context?: Prompt | undefined;
  /** All other fields of the turn in the log. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Returns a copy of a turn with additional fields. In Node 20, `{ ...turn, state }` takes 20 times as long and also
 * slows down later reads, because each object receives a separate hidden class.
 */
export function withFields(turn: LoggedTurn, fields: Partial<LoggedTurn>): LoggedTurn {
  return Object.assign({}, turn, fields);
}

/** Group of a rollout. */
export interface RolloutKey {
  /** Rollouts with equal keys are one group. */
  readonly key: string;
  readonly step?: number | undefined;
  /** Name of the prompt in the log. Undefined if the log has no name; the groups of a step are then numbered. */
  readonly name?: string | undefined;
}

/** One rollout, or a part of a rollout, from a row of a log. */
export interface LoggedRollout extends RolloutKey {
  readonly location: LogLocation;
  readonly prompt: Prompt | undefined;
  /** Turns in order. Each continues the previous turn. */
  readonly turns: readonly LoggedTurn[];
  /** Reward of the rollout; undefined if it was not scored. */
  readonly outcome: number | undefined;
  readonly solved?: boolean | undefined;
  /** True if a limit of turns or tokens ended the rollout. */
  readonly truncated?: boolean | undefined;
  /** True if the rollout ended in an error. */
  readonly failed?: boolean | undefined;
  /** Complete output as text; undefined if the log has messages. */
  readonly output?: string | undefined;
  readonly components?: Readonly<Record<string, number>> | undefined;
  /** Columns of the prompt. The group has those that are equal in all its rollouts. */
  readonly promptColumns: Readonly<Record<string, unknown>>;
  /** All other columns. The last turn has them. */
  readonly columns: Readonly<Record<string, unknown>>;
  /** Session of the row. Rows of one session are parts of one rollout, in the order of `part`. */
  readonly session?: string | undefined;
  readonly part?: number | undefined;
}
