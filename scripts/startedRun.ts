import { nodeExactDevice } from '../src/cli/framework/node.ts';
import { loadStart } from '../src/cli/framework/policyFiles.ts';
import { openWorld } from '../src/cli/framework/worldRuns.ts';
import type { EngineDevice } from '../src/engine/engine.ts';
import type { RunConfiguration } from '../src/training/data/configuration.ts';
import { Run } from '../src/training/run/run.ts';

/**
 * Opens a run with the warm start of its world.
 * @param device default: the exact engine
 */
export async function startedRun(configuration: RunConfiguration, device?: EngineDevice): Promise<Run> {
  const opened = await openWorld(configuration);
  const run = await Run.create(device ?? (await nodeExactDevice()), configuration, undefined, opened);
  run.beginWith(loadStart(opened.world, undefined).state);
  return run;
}
