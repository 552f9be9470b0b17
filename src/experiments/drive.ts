import type { Metrics } from '../training/data/protocol.ts';
import type { Run } from '../training/run/run.ts';
import type { Update } from '../training/run/trainer.ts';

/** Callbacks of a driven run, and the signal that stops it early. */
export interface DriveHooks {
  /** Receives the metrics of each update in the order of the steps, one update late. */
  readonly metrics?: (metrics: Metrics) => void;
  /** Called immediately after an update is submitted. */
  readonly updated?: (update: Update) => void;
  /** Stops the run after the current update. The metrics of this update are still reported. */
  readonly signal?: AbortSignal;
}

/**
 * Trains a run until it has done `step` updates. One update is always in flight: while the GPU trains on a batch, the
 * next batch is prepared and the metrics of the previous batch arrive.
 * @throws {NonFiniteError} if a metric is not finite, and any error of the GPU; metrics of earlier updates are reported
 * first
 */
export async function drive(run: Run, step: number, hooks: DriveHooks = {}): Promise<void> {
  const { device } = run.trainer.engine;
  let arriving: Promise<void> = Promise.resolve();
  while (run.step < step && !hooks.signal?.aborted) {
    const update = await run.update().catch(async (error: unknown) => {
      // The failed update trained nothing. The metrics of the previous update are still reported.
      await arriving;
      throw error;
    });
    // The promise is awaited one iteration later, or never if the previous update failed. The empty handler prevents an
    // unhandled rejection.
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
