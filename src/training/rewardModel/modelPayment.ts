import type { Engine } from '../../engine/engine.ts';
import type { AnyEnvironment, Reliability } from '../../environments/environment.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { CollectRequest } from '../collect/collectRequest.ts';
import { modelName } from '../data/warmStartNames.ts';
import type { MakeModel, MakingHooks } from './making.ts';
import { RewardModel } from './rewardModel.ts';
import { finished, RewardModelError, readRewardModel } from './rewardModelFile.ts';

/** Where models come from. */
export interface ModelSources {
  /** A model's file; undefined where it is to be made. No model can pay where absent. */
  readonly loadRewardModel?: (wanted: Reliability) => Promise<ArrayBuffer | undefined>;
  /** Makes one. */
  readonly makeRewardModel?: MakeModel | undefined;
}

/** Lets the reward models of a world pay turns, where the controls leave that to one. A model is read when it is first asked. */
export class ModelPayment {
  private readonly models = new Map<string, RewardModel>();
  /** Who watches where a model has to be made. */
  making: MakingHooks = { progress: () => {}, signal: () => new AbortController().signal };

  constructor(
    private readonly environment: AnyEnvironment,
    private readonly engine: Engine,
    private readonly sources: ModelSources,
  ) {}

  /**
   * What pays under these controls; undefined where the environment itself does.
   * @throws {RewardModelError | CheckpointError} where a model should pay, and there is none, or it does not fit
   * @throws {ModelStopped} where its training was told to stop
   */
  async under(controls: ParameterValues): Promise<CollectRequest<unknown>['pay']> {
    const { modelPaid } = this.environment;
    const wanted = modelPaid?.wanted(controls);
    if (!modelPaid || !wanted) return undefined;
    const model = await this.opened(wanted);
    return async (turns) => {
      const rewards = await model.rewards(turns.map((turn) => modelPaid.reads(turn)));
      return turns.map(({ verdict }, index) => modelPaid.pay(verdict, rewards[index], controls, model.reliability));
    };
  }

  destroy(): void {
    for (const model of this.models.values()) model.destroy();
  }

  private async opened(wanted: Reliability): Promise<RewardModel> {
    const name = modelName(wanted);
    const known = this.models.get(name);
    if (known) return known;
    const file = await this.fileOf(wanted);
    const model = new RewardModel(this.engine, finished(readRewardModel(this.engine.config, file)));
    this.models.set(name, model);
    return model;
  }

  private async fileOf(wanted: Reliability): Promise<ArrayBuffer> {
    const { loadRewardModel: load, makeRewardModel: make } = this.sources;
    const file = (await load?.(wanted)) ?? (await make?.(wanted, this.making));
    if (file) return file;
    throw new RewardModelError('no reward model can pay here');
  }
}
