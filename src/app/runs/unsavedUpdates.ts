import { Curve, fileCurve, mergeDownsampling } from '../../storage/curve.ts';
import type { Basis, RunStore } from '../../storage/runStore.ts';
import { isCurveOf } from '../../storage/savedRun.ts';
import type { DownsampledUpdates, Metrics, SavedRun } from '../../training/data/protocol.ts';

/**
 * Updates of a run that storage lacks, and the number of saved steps. The page receives each update, but storage
 * receives states only periodically.
 */
export class UnsavedUpdates {
  /**
   * Updates that storage lacks. Memory is bounded: the updates are downsampled if storage accepts none for very long.
   */
  readonly curve: Curve;
  /** Number of steps whose updates are in storage [updates]. */
  written: number;
  /** `savedAt` of the state in storage that the next write replaces; undefined if the run is not stored. */
  private follows: number | undefined;
  private readonly sharedWith: string | undefined;
  /** Copy that receives the updates of this tab. Undefined unless another tab has continued the run. */
  copy: { readonly id: string; readonly unsaved: UnsavedUpdates } | undefined;
  /** Lowest step that was repeated while a state was being written. Without a repetition, the step of that state. */
  private lowest = 0;

  /**
   * @param written number of steps whose updates are in storage
   * @param basis state in storage that has these updates
   * @param curve updates after these steps
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
    // A run that returned to an earlier step repeats its updates.
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

  /** Records that a state of this step is about to be written. */
  writing(step: number): void {
    this.lowest = step;
  }

  /** Records that the state was written. @param savedAt time that identifies this state */
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

/** State that is not in storage yet. */
export interface Pending {
  readonly id: string;
  readonly saved: SavedRun;
  readonly unsaved: UnsavedUpdates;
  /** All updates of an imported run up to its state. Absent for a run that was trained in this tab. */
  readonly complete?: Pick<SavedRun, 'metrics' | 'downsampled'>;
}

/** Locations of a run's updates. */
interface Whereabouts {
  /** Number of steps whose updates are in storage. `storedId` is the id of the run that has them. */
  readonly written: number;
  readonly storedId: string;
  /** Downsampling of the updates in storage; undefined if they are complete. */
  readonly downsampled: DownsampledUpdates | undefined;
  /** Updates that storage lacks. */
  readonly lacking: Pick<SavedRun, 'metrics' | 'downsampled'> | undefined;
}

/**
 * Loads all updates of a run before a step. The curve is downsampled to the size limit of a file.
 * @returns undefined if updates are missing
 * @throws {StorageError} if storage cannot read the updates
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
