import { Curve } from '../storage/curve.ts';
import type { Basis } from '../storage/runStore.ts';
import type { Metrics, SavedRun } from '../training/protocol.ts';

/** What storage has of a run, and the updates that it lacks: the page hears every update, and storage a state now and then. */
export class Keeping {
  /** Updates that storage lacks. In bounded memory: where it takes none for very long, they are thinned. */
  readonly curve: Curve;
  /** Steps whose updates are in storage: those before this one. */
  written: number;
  /** The state in storage that the next one follows. */
  private follows: number | undefined;
  private readonly sharedWith: string | undefined;
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

  hear(row: Metrics): void {
    // A run that went back does these updates again.
    this.written = Math.min(this.written, row.step);
    this.lowest = Math.min(this.lowest, row.step);
    this.curve.push(row);
  }

  /** What storage lacks of the updates before a step. */
  lacking(step: number): Pick<SavedRun, 'metrics' | 'thinned'> {
    const { rows, thinned } = this.curve;
    const metrics = rows.filter((row) => row.step < step);
    return thinned ? { metrics, thinned: { ...thinned, before: Math.min(thinned.before, step) } } : { metrics };
  }

  /** A state of this step is about to be written. */
  writing(step: number): void {
    this.lowest = step;
  }

  /** It was written. @param savedAt tells this state from others */
  wrote(savedAt: number): void {
    this.written = this.lowest;
    this.follows = savedAt;
    this.curve.dropBefore(this.lowest);
  }

  /** The same updates for a run of another number, which shares with this one what storage has. */
  fork(id: string): Keeping {
    const sharedWith = this.basis.sharedWith ?? id;
    return new Keeping(this.written, { follows: undefined, ...(this.written > 0 ? { sharedWith } : {}) }, this.curve);
  }
}
