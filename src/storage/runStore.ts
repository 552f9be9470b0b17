import type { SavedRun } from '../training/protocol.ts';

/** What a list of runs shows without reading the runs themselves. */
export interface RunSummary {
  readonly id: string;
  /** For people: rules and seed. */
  readonly name: string;
  /** The page's query that makes this run again; says whether a link means this run. */
  readonly link: string;
  /** Updates done. */
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly savedAt: number;
  /** Size of the checkpoint. */
  readonly bytes: number;
}

/** Keeps runs. Every method rejects with a StorageError; a failed save leaves the older state of the run as it was. */
export interface RunStore {
  /** Newest first. */
  list(): Promise<RunSummary[]>;
  /** @throws {StorageError} 'corrupt' for a record that is incomplete or not a run. */
  load(id: string): Promise<SavedRun>;
  /** Adds a run or replaces its older state, in one piece. */
  save(summary: RunSummary, saved: SavedRun): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Why storage did not do what was asked. */
export class StorageError extends Error {
  constructor(
    readonly kind: 'refused' | 'full' | 'corrupt' | 'failed',
    message: string,
  ) {
    super(message);
    this.name = 'StorageError';
  }
}

/** Tells a full device and a refusing browser from everything else. */
export function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  const message = error instanceof Error && error.message ? error.message : String(error);
  if (name === 'QuotaExceededError') return new StorageError('full', message);
  if (name === 'SecurityError' || name === 'InvalidStateError') return new StorageError('refused', message);
  return new StorageError('failed', message);
}
