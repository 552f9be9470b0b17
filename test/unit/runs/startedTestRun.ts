import { onTestFinished } from 'vitest';
import { loadStart } from '../../../src/cli/framework/policyFiles.ts';
import { openWorld } from '../../../src/cli/framework/worldRuns.ts';
import type { EngineDevice } from '../../../src/engine/engine.ts';
import type { Reliability } from '../../../src/environments/environment.ts';
import { initialParameters } from '../../../src/policy/weights.ts';
import type { EnvironmentName, RunConfiguration } from '../../../src/training/data/configuration.ts';
import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import type { SavedRun } from '../../../src/training/data/protocol.ts';
import { openingRun } from '../../../src/training/data/worlds.ts';
import { Run } from '../../../src/training/run/run.ts';
import { testDevice } from './runDevice.ts';

export type Controls = Readonly<Record<string, number | string>>;

interface Options {
  /** Loads the reward models. Default: the loader of the environment. */
  readonly load?: ((reliability: Reliability) => Promise<ArrayBuffer>) | undefined;
  /** Saved run to resume. Default: start from the warm start. */
  readonly saved?: SavedRun | undefined;
  /** Seed of initial weights, for a world without a shipped warm start. Default: start from the warm start. */
  readonly initialWeights?: number;
  /** Device of the run. Default: the shared test device. */
  readonly device?: EngineDevice | undefined;
}

/** Starts a run that is destroyed when its test finishes. */
export async function startTestRun(
  configuration: RunConfiguration,
  { load, saved, initialWeights, device }: Options = {},
): Promise<Run> {
  const opened = await openWorld(configuration);
  const run = await Run.create(device ?? (await testDevice()), configuration, () => {}, {
    ...opened,
    loadRewardModel: load ?? opened.loadRewardModel,
  });
  onTestFinished(() => run.destroy());
  if (saved) run.resume(saved);
  else if (initialWeights !== undefined)
    run.trainer.engine.start(initialParameters(run.trainer.engine.config, initialWeights));
  else run.beginWith(loadStart(opened.world, undefined).state);
  return run;
}

/** Starts a run of the default configuration with other controls. */
export function runWithControls(environment: EnvironmentName, controls: Controls, options: Options = {}): Promise<Run> {
  const base = defaultConfiguration(environment);
  return startTestRun({ ...base, controls: { ...base.controls, ...controls } }, options);
}

/** Starts a small search run from the opening configuration. */
export function searchRun(controls: Controls = {}, load?: Options['load']): Promise<Run> {
  const base = openingRun('search');
  const configuration = { ...base, controls: { ...base.controls, heldOutMode: 'off', questions: 4, ...controls } };
  return startTestRun(configuration, { load });
}

/** Starts a small repair run. */
export function repairRun(controls: Controls = {}, load?: Options['load']): Promise<Run> {
  return runWithControls('repair', { programs: 24, ...controls }, { load });
}
