import { onTestFinished } from 'vitest';
import { openWorld } from '../../../src/cli/framework/openWorld.ts';
import { loadStart } from '../../../src/cli/framework/policyFiles.ts';
import type { Reliability } from '../../../src/environments/environment.ts';
import type { RunConfiguration } from '../../../src/training/data/configuration.ts';
import { Run } from '../../../src/training/run/run.ts';
import { testDevice } from '../gpu.ts';

/** A run from the warm start of its world, which ends with its test. @param load the reward models, in place of the world's; those that it does not give are made */
export async function begunRun(
  configuration: RunConfiguration,
  load?: (reliability: Reliability) => Promise<ArrayBuffer | undefined>,
): Promise<Run> {
  const opened = await openWorld(configuration);
  const loadRewardModel = load ?? opened.loadRewardModel;
  const run = await Run.create(await testDevice(), configuration, () => {}, {
    ...opened,
    loadRewardModel,
    keepRewardModel: () => {},
  });
  onTestFinished(() => run.destroy());
  run.beginWith(loadStart(opened.world, undefined).state);
  return run;
}
