import type { DownsampledUpdates, Metrics, SavedRun } from '../training/data/protocol.ts';
import type { Curve } from './curve.ts';

/** Summary of a run for a list, which does not read the runs. */
export interface RunSummary {
  readonly id: string;
  /** Displayed name: rules and seed. */
  readonly name: string;
  /** Query of the page that reproduces this run. It shows if a link refers to this run. */
  readonly link: string;
  /** Number of updates. */
  readonly step: number;
  /** Time of the save [ms since 1970]. It distinguishes the states of a run. */
  readonly savedAt: number;
  /** Size of the checkpoint [bytes]. */
  readonly bytes: number;
  /** Updates that the stored curve omits. Absent if the curve is complete. */
  readonly downsampled?: DownsampledUpdates;
}

/** Run that was loaded from storage. */
export interface LoadedRun {
  readonly summary: RunSummary;
  /** State of the run with its latest metrics only. */
  readonly saved: SavedRun;
  /** Metrics up to this state, in bounded memory. */
  readonly curve: Curve;
}

/** State that a save replaces or continues. */
export interface Basis {
  /** `savedAt` of the previous state. undefined if the run is not stored yet. */
  readonly follows: number | undefined;
  /** Run that has the same updates before the first saved update. The run itself if absent. */
  readonly sharedWith?: string;
}

/**
 * Storage of runs. Every method rejects with a StorageError. A failed save leaves the older state of the run unchanged.
 */
export interface RunStore {
  /** Returns the summaries, latest first. */
  list(): Promise<RunSummary[]>;
  /**
   * Loads a run.
   * @throws {StorageError} 'corrupt' for a record that is incomplete or not a run, 'removed' if no such record exists
   */
  load(id: string): Promise<LoadedRun>;
  /** Yields the stored updates before a step in lists of up to 1,000 updates. */
  rows(id: string, before: number): AsyncIterable<readonly Metrics[]>;
  /**
   * Adds a run or replaces its older state atomically. Stored updates before the first of `saved.metrics` remain, and
   * all later ones are replaced.
   * @throws {StorageError} 'overtaken' if another state was saved after the state that this one follows, 'removed' if
   * the run was removed
   */
  save(summary: RunSummary, saved: SavedRun, basis: Basis): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Error of a storage operation, with its kind. */
export class StorageError extends Error {
  constructor(
    readonly kind: 'refused' | 'full' | 'corrupt' | 'failed' | 'overtaken' | 'removed',
    message: string,
  ) {
    super(message);
    this.name = 'StorageError';
  }
}

/** Converts an error into a StorageError. It recognizes full storage and browsers that do not allow storage. */
export function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  const message = error instanceof Error && error.message ? error.message : String(error);
  if (name === 'QuotaExceededError') return new StorageError('full', message);
  if (name === 'SecurityError' || name === 'InvalidStateError') return new StorageError('refused', message);
  return new StorageError('failed', message);
}

/**
 * Checks that a state follows the stored state.
 * @throws {StorageError} if the save would replace a state that it does not follow
 */
export function checkBasis(stored: RunSummary | undefined, { follows }: Basis): void {
  if (stored?.savedAt === follows) return;
  if (!stored) throw new StorageError('removed', 'it was removed');
  throw new StorageError('overtaken', `step ${stored.step} of it was saved elsewhere`);
}
