import type { ImportCounts } from './importCounts.ts';
import type { LogLocation, LogRow } from './row.ts';

/** Names of the trainers and tools with readable logs. */
export const LOG_FORMATS = [
  'trl',
  'verl',
  'verifiers',
  'nemo-gym',
  'tau-bench',
  'swe-agent',
  'tinker-cookbook',
  'trackio',
] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

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

/** Function that reads the rollouts of a row. `counts` receives messages about the row. */
export type ReadRow = (row: LogRow, counts?: ImportCounts) => LoggedRollout[];

/**
 * Converter from the rows of a trainer's log to rollouts. A reader reads one file in two passes. Each file has a
 * separate reader.
 */
export interface LogReader {
  /**
   * Checks a row in the first pass, which has all rows in order. Returns the group of each of its rollouts, and the
   * fields of the rollout that are known before `settle`.
   * @throws {ImportError} that names the column of an error
   */
  index(row: LogRow): readonly (RolloutKey & Partial<LoggedRollout>)[];
  /** `total` if the rewards of rollouts contain the turn rewards. Undefined if the format does not define it. */
  readonly outcome?: 'total' | 'apart' | undefined;
  /** Completes the first pass. @throws {ImportError} if the rows are not a valid log */
  settle?(): void;
  /** Returns the rollouts of a row in the second pass, in the order and number of `index`. */
  rollouts(row: LogRow): readonly LoggedRollout[];
  /** Inspects the rollouts of each group in the second pass. */
  inspect?(rollouts: readonly LoggedRollout[]): void;
  /** Completes the second pass. @throws {ImportError} if the groups are not a valid log */
  finish?(): void;
}

/** Weights of the reward columns by name, for logs without a total reward. */
export type RewardWeights = ReadonlyMap<string, number>;

/**
 * Creates a reader for a format whose rows contain complete rollouts. Rows of small files are cached, so the second pass
 * has the same row objects and the same rollouts.
 */
export function rowReader(read: ReadRow, counts: ImportCounts, outcome?: LogReader['outcome']): LogReader {
  const known = new WeakMap<LogRow, LoggedRollout[]>();
  return {
    outcome,
    index: (row) => {
      const rollouts = read(row, counts);
      known.set(row, rollouts);
      return rollouts;
    },
    rollouts: (row) => known.get(row) ?? read(row),
  };
}
