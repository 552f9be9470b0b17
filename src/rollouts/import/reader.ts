import type { LoggedRollout, RolloutKey } from './rollout.ts';
import type { LogRow } from './row.ts';

/** How the rows of a trainer's log become rollouts. A reader reads one file, twice: a reader of its own for each. */
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
  /** Second pass: the rollouts of a row, as many as `index` told. */
  rollouts(row: LogRow): readonly LoggedRollout[];
  /** Sees the rollouts of every group, after the second pass read them. */
  inspect?(rollouts: readonly LoggedRollout[]): void;
  /** After the second pass. @throws {ImportError} where the groups do not make a log */
  finish?(): void;
}

/** What a reader may be told. */
export interface ReaderOptions {
  /** Weights of the reward columns, by name, of logs that do not have the total. */
  readonly weights?: ReadonlyMap<string, number> | undefined;
}
