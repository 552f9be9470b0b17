import type { LoggedRollout, RolloutKey } from './rollout.ts';
import type { LogRow } from './row.ts';

/**
 * Conversion of the rows of a trainer's log to rollouts. A reader reads one file, twice; each file has a separate
 * reader.
 */
export interface LogReader {
  /**
   * First pass, every row in order: checks it, and returns where its rollouts belong, with what is known of them.
   * @throws {ImportError} naming the column
   */
  index(row: LogRow): readonly (RolloutKey & Partial<LoggedRollout>)[];
  /** `total` if the rewards of rollouts contain the turn rewards, where the writer of the log defines it. */
  readonly outcome?: 'total' | 'apart' | undefined;
  /** Between the passes. @throws {ImportError} where the rows do not make a log */
  settle?(): void;
  /** Second pass: returns the rollouts of a row, as many as `index` reported. */
  rollouts(row: LogRow): readonly LoggedRollout[];
  /** Sees the rollouts of every group, after the second pass read them. */
  inspect?(rollouts: readonly LoggedRollout[]): void;
  /** After the second pass. @throws {ImportError} where the groups do not make a log */
  finish?(): void;
}

/** Options of a reader. */
export interface ReaderOptions {
  /** Weights of the reward columns, by name, of logs that do not have the total. */
  readonly weights?: ReadonlyMap<string, number> | undefined;
}
