import { Curve, fileCurve, mergeDownsampling } from '../../storage/curve.ts';
import type { Basis, RunStore } from '../../storage/runStore.ts';
import { isCurveOf } from '../../storage/savedRun.ts';
import type { DownsampledUpdates, Metrics, SavedRun } from '../../training/data/protocol.ts';

/**
 * Saved part of a run, and the updates that storage lacks. The page receives every update, and storage receives a state
 * periodically.
 */
export class UnsavedUpdates {
  /**
   * Updates that storage lacks. The memory is bounded: if storage accepts no updates for very long, the updates are
   * downsampled.
   */
  readonly curve: Curve;
  /** Steps whose updates are in storage: those before this one. */
  written: number;
  /** The state in storage that the next one follows. */
  private follows: number | undefined;
  private readonly sharedWith: string | undefined;
  /** Set if another tab continues the run: updates trained here are saved under this id instead. */
  copy: { readonly id: string; readonly unsaved: UnsavedUpdates } | undefined;
  /** Lowest step that came again while a state was being written. */
  private lowest = 0;

  /**
   * @param written steps whose updates are in storage
   * @param basis the state that has them
   * @param curve updates from there on
   */
  constructor(written = 0, { follows, sharedWith }: Basis = { follows: undefined }, curve = new Curve()) {
    this.written = written;
    this.follows = follows;
    this.sharedWith = sharedWith;
    this.curve = curve;
  }

  get basis(): Basis {
    const { follows, sharedWith } = this;
    return follows === undefined && sharedWith !== undefined ? { follows, sharedWith } : { follows };
  }

  /** Returns the number of steps whose updates are in storage, and the id of the run that has them. */
  known(id: string): { readonly written: number; readonly storedId: string } {
    return { written: this.written, storedId: this.basis.sharedWith ?? id };
  }

  addRow(row: Metrics): void {
    // A run that returned to an earlier step repeats these updates.
    this.written = Math.min(this.written, row.step);
    this.lowest = Math.min(this.lowest, row.step);
    this.curve.push(row);
  }

  /** Returns the updates before a step that storage lacks. */
  lacking(step: number): Pick<SavedRun, 'metrics' | 'downsampled'> {
    const { rows, downsampled } = this.curve;
    const metrics = rows.filter((row) => row.step < step);
    return downsampled
      ? { metrics, downsampled: { ...downsampled, before: Math.min(downsampled.before, step) } }
      : { metrics };
  }

  /** A state of this step is about to be written. */
  writing(step: number): void {
    this.lowest = step;
  }

  /** Records that the state was written. @param savedAt distinguishes this state from others */
  wrote(savedAt: number): void {
    this.written = this.lowest;
    this.follows = savedAt;
    this.curve.dropBefore(this.lowest);
  }

  /**
   * Returns the same updates for a run with another id. That run replaces this one and shares its updates in storage.
   */
  fork(id: string, copy: string): UnsavedUpdates {
    const sharedWith = this.known(id).storedId;
    const basis = { follows: undefined, ...(this.written > 0 ? { sharedWith } : {}) };
    const unsaved = new UnsavedUpdates(this.written, basis, this.curve);
    this.copy = { id: copy, unsaved };
    return unsaved;
  }
}

/** A state that is not in storage yet. */
export interface Pending {
  readonly id: string;
  readonly saved: SavedRun;
  readonly unsaved: UnsavedUpdates;
  /** All updates up to there, of a run that was not trained here. */
  readonly complete?: Pick<SavedRun, 'metrics' | 'downsampled'>;
}

/** Locations of a run's updates. */
interface Whereabouts {
  /** Steps whose updates are in storage, and the run whose they are there. */
  readonly written: number;
  readonly storedId: string;
  /** Downsampling: the updates that they leave out. */
  readonly downsampled: DownsampledUpdates | undefined;
  /** Those that storage lacks. */
  readonly lacking: Pick<SavedRun, 'metrics' | 'downsampled'> | undefined;
}

/**
 * All updates of a run before a step, as many as a file has room for.
 * @returns undefined where some are nowhere
 * @throws {StorageError} where they cannot be read
 */
export async function loadCompleteCurve(
  store: RunStore | undefined,
  step: number,
  { written, storedId, downsampled, lacking }: Whereabouts,
): Promise<Curve | undefined> {
  const curve = fileCurve();
  if (store && written > 0) {
    for await (const rows of store.rows(storedId, Math.min(written, step))) for (const row of rows) curve.push(row);
    curve.downsampled = mergeDownsampling(curve.downsampled, downsampled);
  }
  for (const row of lacking?.metrics ?? []) curve.push(row);
  curve.downsampled = mergeDownsampling(curve.downsampled, lacking?.downsampled);
  return isCurveOf(curve.rows, { step, downsampled: curve.downsampled }) ? curve : undefined;
}
