import type { SavedRun } from '../data/protocol.ts';
import type { Run } from './run.ts';

/** Updates and milliseconds between two checkpoints of a playing run, both at least. */
const STEPS = 10;
const MILLISECONDS = 2000;

/** The last state that a run can go on from, and when it is time for another. */
export class Checkpoints {
  /** Undefined before the first. */
  saved: SavedRun | undefined;
  private at = 0;

  constructor(private readonly now: () => number) {}

  /** Another run begins, perhaps with one that was kept. */
  begin(saved: SavedRun | undefined): void {
    this.saved = saved;
    this.at = this.now();
  }

  /** Whether the run has changed since: it was updated, or something happened to it. */
  behind({ step, allEvents }: Run): boolean {
    return step !== this.saved?.step || allEvents.length !== this.saved.events.length;
  }

  due({ step }: Run): boolean {
    return step - (this.saved?.step ?? 0) >= STEPS && this.now() - this.at >= MILLISECONDS;
  }

  async take(run: Run): Promise<void> {
    this.saved = await run.save();
    this.at = this.now();
  }
}
