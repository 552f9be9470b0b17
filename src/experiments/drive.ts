import type { Metrics } from '../training/data/protocol.ts';
import type { Run } from '../training/run/run.ts';
import type { Update } from '../training/run/trainer.ts';

/** What to tell about a run while it is driven, and when to stop it early. */
export interface DriveHooks {
  /** Told in the order of the steps, one update late. */
  readonly metrics?: (metrics: Metrics) => void;
  /** Told as soon as an update is submitted. */
  readonly updated?: (update: Update) => void;
  /** Stops after the update at hand, whose metrics still arrive. */
  readonly signal?: AbortSignal;
}

/**
 * Trains until `step` updates are done. One update is always in flight: while the GPU learns from a batch, the next
 * one is being prepared, and its predecessor's metrics arrive.
 * @throws {NonFiniteError} and whatever the GPU refused; metrics of the updates before were told by then
 */
export async function drive(run: Run, step: number, hooks: DriveHooks = {}): Promise<void> {
  const { device } = run.trainer.engine;
  let arriving: Promise<void> = Promise.resolve();
  while (run.step < step && !hooks.signal?.aborted) {
    const update = await run.update().catch(async (error: unknown) => {
      // Nothing was learned from this one; the one before it is told.
      await arriving;
      throw error;
    });
    // Awaited a turn later, or never if the update before failed: neither must count as an unhandled rejection.
    update.metrics.catch(() => {});
    await arriving;
    arriving = update.metrics.then(hooks.metrics);
    arriving.catch(() => {});
    hooks.updated?.(update);
    const refused = device.readError();
    if (refused) throw new Error(`the GPU refused a command at update ${run.step - 1}: ${refused}`);
  }
  await arriving;
}
