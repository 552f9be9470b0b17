import type { Metrics } from '../training/data/protocol.ts';
import type { Run } from '../training/run/run.ts';
import type { Update } from '../training/run/trainer.ts';

/** Callbacks for a run while it is driven, and the signal that stops it early. */
export interface DriveHooks {
  /** Called in the order of the steps, one update late. */
  readonly metrics?: (metrics: Metrics) => void;
  /** Called as soon as an update is submitted. */
  readonly updated?: (update: Update) => void;
  /** Stops after the update at hand, whose metrics still arrive. */
  readonly signal?: AbortSignal;
}

/**
 * Trains until `step` updates are done. One update is always in flight: while the GPU trains on a batch, the next batch
 * is prepared, and the metrics of the batch before it arrive.
 * @throws {NonFiniteError} and every error of the GPU; metrics of the updates before were reported by then
 */
export async function drive(run: Run, step: number, hooks: DriveHooks = {}): Promise<void> {
  const { device } = run.trainer.engine;
  let arriving: Promise<void> = Promise.resolve();
  while (run.step < step && !hooks.signal?.aborted) {
    const update = await run.update().catch(async (error: unknown) => {
      // This update trained nothing; the update before it is reported.
      await arriving;
      throw error;
    });
    // Awaited a turn later, or never if the update before failed: neither must count as an unhandled rejection.
    update.metrics.catch(() => {});
    await arriving;
    arriving = update.metrics.then(hooks.metrics);
    arriving.catch(() => {});
    hooks.updated?.(update);
    const deviceError = device.readError();
    if (deviceError) throw new Error(`the GPU refused a command at update ${run.step - 1}: ${deviceError}`);
  }
  await arriving;
}
