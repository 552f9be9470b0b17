import type { Reliability } from '../../environments/environment.ts';
import { modelName } from '../data/warmStartNames.ts';
import type { Trainer } from '../run/trainer.ts';
import { type MakingHooks, ModelStopped } from './making.ts';
import type { Scored } from './pairs.ts';
import { planOf, type SavedRewardModel, writeRewardModel } from './rewardModelFile.ts';
import { trainedOnTurns } from './trainedModel.ts';
import { scoredTurns } from './trainRewardModel.ts';

/** How far a model is that was stopped: what it learns from, and what it has become. */
interface Making {
  turns?: readonly Scored[];
  saved?: SavedRewardModel;
}

/** Makes reward models while a run waits for them, with buffers of their own that are given back. */
export class ModelMaker {
  private readonly makings = new Map<string, Making>();

  /**
   * @param again makes another trainer of the run's world, which is destroyed here
   * @param begun parameters of the policy that the run began with
   * @param planFor by what a model is trained
   */
  constructor(
    private readonly again: () => Promise<Trainer>,
    private readonly begun: () => Promise<Float32Array>,
    private readonly planFor = planOf,
  ) {}

  /**
   * Lets the policy that the run began with play all training tasks, and trains a model on pairs of its turns.
   * @returns its file
   * @throws {ModelStopped}
   */
  async make(reliability: Reliability, hooks: MakingHooks): Promise<ArrayBuffer> {
    const name = modelName(reliability);
    const { progress } = hooks;
    const signal = hooks.signal();
    const making = this.makings.get(name) ?? {};
    this.makings.set(name, making);
    const plan = this.planFor(reliability);
    const stopAt = () => {
      if (signal.aborted) throw new ModelStopped('the training of a reward model was stopped');
    };
    const trainer = await this.again();
    try {
      trainer.engine.start(await this.begun());
      making.turns ??= await scoredTurns(trainer, 'train', plan, (done, of) => {
        progress({ ...reliability, stage: 'turns', done, of });
        stopAt();
      });
      const step = ({ done, right }: { readonly done: number; readonly right: number }) =>
        progress({ ...reliability, stage: 'steps', done, of: plan.steps, right });
      const { model } = await trainedOnTurns(trainer, making.turns, plan, { step, signal }, making.saved);
      making.saved = model as SavedRewardModel;
      if (model.progress.centre === null) stopAt();
      this.makings.delete(name);
      return writeRewardModel(trainer.engine.config, model);
    } finally {
      trainer.destroy();
    }
  }
}
