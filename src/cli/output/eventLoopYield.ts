import { setImmediate as nextTurn } from 'node:timers/promises';
import { Interrupted } from '../framework/errors.ts';

/** Maximum time for which a loop blocks signals and timers [ms]. */
const LONGEST = 50;

/** Yields to the event loop periodically, so that signals can stop a long computation. */
export class EventLoopYield {
  private last = performance.now();

  constructor(private readonly signal: AbortSignal | undefined) {}

  /**
   * Yields if the last yield was more than 50 ms ago. Call this between two pieces of work.
   * @throws {Interrupted} if the signal is aborted
   */
  async pause(): Promise<void> {
    if (performance.now() - this.last < LONGEST) return;
    await nextTurn();
    if (this.signal?.aborted) throw new Interrupted();
    this.last = performance.now();
  }
}
