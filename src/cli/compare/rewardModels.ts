import { existsSync, readFileSync } from 'node:fs';
import type { WarmStart } from '../../experiments/compare/comparison.ts';
import type { ComparisonPlan } from '../../experiments/compare/findings.ts';
import type { Gpu } from '../../gpu/device.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { defaultConfiguration } from '../../training/data/configurationTables.ts';
import { rewardModelName } from '../../training/data/warmStartNames.ts';
import { STANDARD_REWARD_MODEL, writeRewardModel } from '../../training/rewardModel/rewardModelFile.ts';
import { Trainer } from '../../training/run/trainer.ts';
import { Interrupted } from '../framework/errors.ts';
import { makeRewardModel } from '../framework/makeRewardModel.ts';
import { type OpenWorld, openWorld } from '../framework/openWorld.ts';
import { rewardModelFile } from '../framework/policyFiles.ts';
import type { Terminal } from '../framework/terminal.ts';
import { codeName, keep } from './starts.ts';

/**
 * Opens the worlds of a comparison. Where a run asks for the reward model of its world, it gets the one that is shipped, one
 * that was made before, or one that is made now, of the policy that its seed starts from.
 * @param cache folder where those that are made are kept; they are kept in memory alone where absent
 */
export function worldsWithModels(
  gpu: Gpu,
  plan: ComparisonPlan,
  terminal: Terminal,
  start: (seed: number) => Promise<WarmStart>,
  cache?: string,
): (configuration: RunConfiguration) => Promise<OpenWorld> {
  const known = new Map<string, Promise<ArrayBuffer>>();
  return async (configuration) => {
    const opened = await openWorld(configuration);
    const { environment, settings, seed } = configuration;
    const shipped = !plan.freshWarmStart && existsSync(rewardModelFile(settings, environment));
    if (shipped) return opened;
    const name = rewardModelName(environment, settings);
    const make = async () => {
      const kept = cache && `${cache}/${name}_${codeName(plan)}.safetensors`;
      if (kept && existsSync(kept)) return new Uint8Array(readFileSync(kept)).buffer;
      const file = await made(gpu, configuration, opened, (await start(seed)).state.parameters, terminal);
      if (kept) keep(kept, new Uint8Array(file));
      return file;
    };
    const loadRewardModel = () => {
      const model = known.get(name) ?? make();
      known.set(name, model);
      // What was stopped is tried again.
      model.catch(() => known.delete(name));
      return model;
    };
    return { ...opened, loadRewardModel };
  };
}

async function made(
  gpu: Gpu,
  { seed, environment }: RunConfiguration,
  opened: OpenWorld,
  start: Float32Array,
  terminal: Terminal,
): Promise<ArrayBuffer> {
  const { controls } = defaultConfiguration(environment);
  const trainer = await Trainer.create(gpu, opened.environment, seed, controls);
  try {
    trainer.policy.start(start);
    const { model } = await makeRewardModel(trainer, STANDARD_REWARD_MODEL, terminal);
    if (model.progress.centre === null) throw new Interrupted();
    return writeRewardModel(trainer.policy.config, model);
  } finally {
    trainer.destroy();
  }
}
