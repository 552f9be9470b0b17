import type { DownsampledUpdates, Metrics, SavedRun } from '../training/data/protocol.ts';
import type { Curve } from './curve.ts';

/** Data that a list of runs shows without reading the runs themselves. */
export interface RunSummary {
  readonly id: string;
  /** For people: rules and seed. */
  readonly name: string;
  /** The page's query that makes this run again; says whether a link means this run. */
  readonly link: string;
  /** Updates done. */
  readonly step: number;
  /** Milliseconds since 1970. Distinguishes one state of a run from another. */
  readonly savedAt: number;
  /** Size of the checkpoint. */
  readonly bytes: number;
  /** Updates that the stored curve leaves out, if it could not be stored whole. */
  readonly downsampled?: DownsampledUpdates;
}

/** A run as storage gives it back. */
export interface LoadedRun {
  readonly summary: RunSummary;
  /** Its metrics are the newest alone. */
  readonly saved: SavedRun;
  /** The curve up to there, in bounded memory. */
  readonly curve: Curve;
}

/** Base of a state that is about to be saved. */
export interface Basis {
  /** `savedAt` of the state that it follows; undefined where the run is not kept yet. */
  readonly follows: number | undefined;
  /** The run whose updates it shares up to the first that is saved; itself unless it is given. */
  readonly sharedWith?: string;
}

/** Keeps runs. Every method rejects with a StorageError; a failed save leaves the older state of the run as it was. */
export interface RunStore {
  /** Newest first. */
  list(): Promise<RunSummary[]>;
  /**
   * @throws {StorageError} 'corrupt' for a record that is incomplete or not a run, 'removed' if no such record exists.
   */
  load(id: string): Promise<LoadedRun>;
  /** The kept updates before a step, some hundred at a time. */
  rows(id: string, before: number): AsyncIterable<readonly Metrics[]>;
  /**
   * Adds a run or replaces its older state, in one piece. Updates before the first of `saved.metrics` stay as they are
   * stored; all later ones are replaced.
   * @throws {StorageError} 'overtaken' if another state was saved since the one that this follows, 'removed' if the run
   *   was removed since
   */
  save(summary: RunSummary, saved: SavedRun, basis: Basis): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Reason why storage did not do what was requested. */
export class StorageError extends Error {
  constructor(
    readonly kind: 'refused' | 'full' | 'corrupt' | 'failed' | 'overtaken' | 'removed',
    message: string,
  ) {
    super(message);
    this.name = 'StorageError';
  }
}

/** Distinguishes a full device and a refusing browser from all other errors. */
export function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  const message = error instanceof Error && error.message ? error.message : String(error);
  if (name === 'QuotaExceededError') return new StorageError('full', message);
  if (name === 'SecurityError' || name === 'InvalidStateError') return new StorageError('refused', message);
  return new StorageError('failed', message);
}

/** @throws {StorageError} where a state would be saved over one that it does not follow. */
export function checkBasis(stored: RunSummary | undefined, { follows }: Basis): void {
  if (stored?.savedAt === follows) return;
  if (!stored) throw new StorageError('removed', 'it was removed');
  throw new StorageError('overtaken', `step ${stored.step} of it was saved elsewhere`);
}
