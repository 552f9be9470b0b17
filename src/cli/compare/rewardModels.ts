import { existsSync, readFileSync } from 'node:fs';
import type { EngineDevice } from '../../engine/engine.ts';
import type { Reliability } from '../../environments/environment.ts';
import type { WarmStart } from '../../experiments/compare/comparison.ts';
import type { ComparisonPlan } from '../../experiments/compare/findings.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { defaultConfiguration } from '../../training/data/configurationTables.ts';
import { rewardModelName } from '../../training/data/warmStartNames.ts';
import { planOf, writeRewardModel } from '../../training/rewardModel/rewardModelFile.ts';
import { Trainer } from '../../training/run/trainer.ts';
import { fitRewardModel } from '../framework/createRewardModel.ts';
import { Interrupted } from '../framework/errors.ts';
import { type OpenWorld, openWorld } from '../framework/openWorld.ts';
import { rewardModelFile } from '../framework/policyFiles.ts';
import type { Terminal } from '../framework/terminal.ts';
import { codeName, writeAtomically } from './starts.ts';

/**
 * Returns a function that opens the worlds of a comparison. A run that needs a reward model gets the shipped model, a
 * cached model, or a new model. A new model is trained on turns of the policy that the seed of the run starts from.
 * @param cache folder that stores new models; if absent, they are stored in memory only
 */
export function worldsWithModels(
  device: EngineDevice,
  plan: ComparisonPlan,
  terminal: Terminal,
  start: (seed: number) => Promise<WarmStart>,
  cache?: string,
): (configuration: RunConfiguration) => Promise<OpenWorld> {
  const known = new Map<string, Promise<ArrayBuffer>>();
  return async (configuration) => {
    const opened = await openWorld(configuration);
    const { environment, settings, seed } = configuration;
    const createModel = async (file: string, model: Reliability) => {
      const cachePath = cache && `${cache}/${file}_${codeName(plan)}.safetensors`;
      if (cachePath && existsSync(cachePath)) return new Uint8Array(readFileSync(cachePath)).buffer;
      const { parameters } = (await start(seed)).state;
      const data = await trainModel({ device, configuration, opened, start: parameters, model }, terminal);
      if (cachePath) writeAtomically(cachePath, new Uint8Array(data));
      return data;
    };
    const loadRewardModel = (model: Reliability) => {
      const shipped = !plan.freshWarmStart && existsSync(rewardModelFile({ settings, environment }, model));
      if (shipped) return opened.loadRewardModel(model);
      const file = rewardModelName(environment, settings, model);
      const data = known.get(file) ?? createModel(file, model);
      known.set(file, data);
      // Remove a failed or stopped training, so that the next request repeats it.
      data.catch(() => known.delete(file));
      return data;
    };
    return { ...opened, loadRewardModel };
  };
}

interface ModelRequest {
  readonly device: EngineDevice;
  readonly configuration: RunConfiguration;
  readonly opened: OpenWorld;
  readonly start: Float32Array;
  readonly model: Reliability;
}

async function trainModel(
  { device, configuration, opened, start, model: reliability }: ModelRequest,
  terminal: Terminal,
) {
  const { seed, environment } = configuration;
  const { controls } = defaultConfiguration(environment);
  const trainer = await Trainer.create(device, opened.environment, seed, controls);
  try {
    trainer.engine.start(start);
    const { model } = await fitRewardModel(trainer, planOf(reliability), terminal);
    if (model.progress.centre === null) throw new Interrupted();
    return writeRewardModel(trainer.engine.config, model);
  } finally {
    trainer.destroy();
  }
}
