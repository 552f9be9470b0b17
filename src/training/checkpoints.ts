import type { SavedRun } from './protocol.ts';
import type { Run } from './run.ts';

/** Updates and milliseconds between two checkpoints of a playing run, both at least. */
const STEPS = 10;
const MILLISECONDS = 2000;
/** Milliseconds more for every update of the curve, which a checkpoint carries whole: long runs send fewer. */
const MILLISECONDS_A_STEP = 10;

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

  due({ step, metrics }: Run): boolean {
    const wait = MILLISECONDS + MILLISECONDS_A_STEP * metrics.length;
    return step - (this.saved?.step ?? 0) >= STEPS && this.now() - this.at >= wait;
  }

  async take(run: Run): Promise<void> {
    this.saved = await run.save();
    this.at = this.now();
  }
}
