import { Curve } from '../../storage/curve.ts';
import type { Basis } from '../../storage/runStore.ts';
import type { Metrics, SavedRun } from '../../training/data/protocol.ts';

/**
 * Run that the page has opened: its id in storage, and the updates that storage lacks. The page receives each update,
 * but storage receives states only periodically.
 */
export class OpenRun {
  /** Updates that storage lacks. Memory is bounded: they are downsampled if storage accepts none for very long. */
  curve = new Curve();
  /** True if another tab trains the run. This tab then does not save the run. */
  isElsewhere = false;
  /** True if the worker trains the run. */
  isTraining = false;
  /** `savedAt` of the state in storage that the next write replaces; undefined if the run is not stored. */
  private follows: number | undefined;
  /** Id of the stored run that has the first updates of this copy. */
  private sharedWith: string | undefined;
  /** Lowest step that was repeated while a state was being written. Without a repetition, the step of that state. */
  private lowest = 0;

  /**
   * @param id id in storage, which changes if the run becomes a copy
   * @param written number of steps whose updates are in storage
   * @param follows `savedAt` of the state in storage that has these updates
   */
  constructor(
    public id = newRunId(),
    public written = 0,
    follows?: number,
  ) {
    this.follows = follows;
  }

  get basis(): Basis {
    const { follows, sharedWith } = this;
    return sharedWith === undefined ? { follows } : { follows, sharedWith };
  }

  /** Id of the stored run that has the first `written` updates. */
  get storedId(): string {
    return this.sharedWith ?? this.id;
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
    this.sharedWith = undefined;
    this.curve.dropBefore(this.lowest);
  }

  /** Turns the run into a copy that is saved separately. Until it is written, the copy shares the stored updates. */
  copy(): void {
    this.sharedWith = this.written > 0 ? this.storedId : undefined;
    this.follows = undefined;
    this.id = newRunId();
    this.isElsewhere = false;
  }

  /** Marks the run as not stored. @param curve all its updates */
  unstore(curve: Curve): void {
    this.curve = curve;
    this.written = 0;
    this.follows = undefined;
    this.sharedWith = undefined;
    this.isElsewhere = false;
  }
}

/** Returns a unique id for a run. */
function newRunId(): string {
  // crypto.randomUUID is not available on plain http.
  const random = Math.floor(Math.random() * 0xffffffff).toString(36);
  return `${Date.now().toString(36)}-${random}`;
}
