import { setImmediate as nextTurn } from 'node:timers/promises';
import { Interrupted } from '../framework/errors.ts';

/** Milliseconds for which a loop may keep signals and timers waiting. */
const LONGEST = 50;

/** Gives the event loop a turn now and then, so that a loop that computes without a pause can be stopped. */
export class EventLoopYield {
  private last = performance.now();

  constructor(private readonly signal: AbortSignal | undefined) {}

  /** Call it between two pieces of work. @throws {Interrupted} when the work is to stop */
  async pause(): Promise<void> {
    if (performance.now() - this.last < LONGEST) return;
    await nextTurn();
    if (this.signal?.aborted) throw new Interrupted();
    this.last = performance.now();
  }
}
