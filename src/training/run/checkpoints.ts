import type { SavedRun } from '../data/protocol.ts';
import type { Run } from './run.ts';

/** Updates and milliseconds between two checkpoints of a playing run, both at least. */
const STEPS = 10;
const MILLISECONDS = 2000;

/** Stores the last state from which a run can continue, and decides when the next checkpoint is due. */
export class Checkpoints {
  /** Undefined before the first. */
  saved: SavedRun | undefined;
  private at = 0;

  constructor(private readonly now: () => number) {}

  /** Starts another run, which may continue a saved run. */
  begin(saved: SavedRun | undefined): void {
    this.saved = saved;
    this.at = this.now();
  }

  /** True if the run has changed since the last checkpoint: it was updated, or it has a new event. */
  isOutdated({ step, allEvents }: Run): boolean {
    return step !== this.saved?.step || allEvents.length !== this.saved.events.length;
  }

  due({ step }: Run): boolean {
    return step - (this.saved?.step ?? 0) >= STEPS && this.now() - this.at >= MILLISECONDS;
  }

  async capture(run: Run): Promise<void> {
    this.saved = await run.save();
    this.at = this.now();
  }
}
