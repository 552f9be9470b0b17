import type { LogLocation } from './importError.ts';

/** A chat message as logged. */
export interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly [field: string]: unknown;
}

/** First input of the policy: text, or messages. */
export type Prompt = string | readonly Message[];

/** One generation of the policy, as logged. */
export interface LoggedTurn {
  readonly text: string;
  /** Own reward, where the log has rewards of turns. */
  readonly reward?: number | undefined;
  /** Tokens that the policy wrote, where the log counts them. */
  readonly tokens?: number | undefined;
  /** Actions of the policy before the turn, and its action in the turn, for rules that compare states. */
  readonly state?: string | undefined;
  readonly action?: string | undefined;
  /** Answer of the environment. */
  readonly observation?: readonly Message[] | undefined;
  /** Text before the turn, if it is not simply the turn before and its observation. */
  readonly context?: Prompt | undefined;
  /** Everything else that the log has of the turn. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Returns a copy of a turn with further fields. In Node 20, `{ ...turn, state }` takes 20 times as long, because every such object
 * gets a hidden class, and later reads of the object are slow too.
 */
export function withFields(turn: LoggedTurn, fields: Partial<LoggedTurn>): LoggedTurn {
  return Object.assign({}, turn, fields);
}

/** Group to which a rollout belongs. */
export interface RolloutKey {
  /** Rollouts with the same key are one group. */
  readonly key: string;
  readonly step?: number | undefined;
  /** Name of the prompt in the log; the groups of a step are numbered if the prompt has no name. */
  readonly name?: string | undefined;
}

/** One rollout, or a part of one, as a reader finds it in a row. */
export interface LoggedRollout extends RolloutKey {
  readonly location: LogLocation;
  readonly prompt: Prompt | undefined;
  /** In order, each continuing the one before. */
  readonly turns: readonly LoggedTurn[];
  /** The reward of the whole; undefined where it was not scored. */
  readonly outcome: number | undefined;
  readonly solved?: boolean | undefined;
  /** A limit of turns or tokens ended the rollout. */
  readonly truncated?: boolean | undefined;
  /** The rollout ended in an error. */
  readonly failed?: boolean | undefined;
  /** Text of the whole output, where the log has one text and no messages. */
  readonly output?: string | undefined;
  readonly components?: Readonly<Record<string, number>> | undefined;
  /** Columns of the prompt: kept in the group where all its rollouts agree. */
  readonly promptColumns: Readonly<Record<string, unknown>>;
  /** All other columns: kept in the last turn. */
  readonly columns: Readonly<Record<string, unknown>>;
  /** Rows with the same session are parts of one rollout, in the order of `part`. */
  readonly session?: string | undefined;
  readonly part?: number | undefined;
}
