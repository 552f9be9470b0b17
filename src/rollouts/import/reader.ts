import type { LoggedRollout, RolloutKey } from './rollout.ts';
import type { LogRow } from './row.ts';

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

/** Options of a reader. */
export interface ReaderOptions {
  /** Weights of the reward columns by name, for logs without a total reward. */
  readonly weights?: ReadonlyMap<string, number> | undefined;
}
