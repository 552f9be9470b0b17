import type { EngineDevice } from '../../engine/engine.ts';
import { drive } from '../../experiments/drive.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { Run } from '../../training/run/run.ts';
import { Interrupted } from './errors.ts';
import { openWorld } from './openWorld.ts';
import { loadStart } from './policyFiles.ts';
import type { Terminal } from './terminal.ts';

/**
 * Trains a run from its warm start, with the code that the page uses.
 * @param steps number of updates
 * @param report called after each update
 * @returns the metrics of all updates
 * @throws {Interrupted} if the user requested to stop
 */
export async function trainedRun(
  device: EngineDevice,
  configuration: RunConfiguration,
  steps: number,
  { signal }: Pick<Terminal, 'signal'>,
  report: (row: Metrics) => void,
): Promise<readonly Metrics[]> {
  const opened = await openWorld(configuration);
  const metrics: Metrics[] = [];
  let run: Run | undefined;
  try {
    const { state } = loadStart(opened.world, undefined);
    run = await Run.create(device, configuration, () => {}, opened);
    run.beginWith(state);
    await drive(run, steps, {
      signal,
      metrics: (row) => {
        metrics.push(row);
        report(row);
      },
    });
  } finally {
    if (run) run.destroy();
    else opened.close();
  }
  if (signal.aborted) throw new Interrupted();
  return metrics;
}
