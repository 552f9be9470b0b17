import type { SavedRun } from '../data/protocol.ts';
import type { Run } from './run.ts';

/** Minimum number of updates, and minimum time [ms], between two checkpoints of a run in progress. */
const STEPS = 10;
const MILLISECONDS = 2000;

/** Latest saved state of a run, and the schedule of its checkpoints. */
export class Checkpoints {
  /** Latest saved state; undefined before the first checkpoint. */
  saved: SavedRun | undefined;
  private at = 0;

  constructor(private readonly now: () => number) {}

  /** Starts another run. @param saved saved run that it continues, if any */
  begin(saved: SavedRun | undefined): void {
    this.saved = saved;
    this.at = this.now();
  }

  /** Returns true if the run has an update or event since the last checkpoint. */
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
