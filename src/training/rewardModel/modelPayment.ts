import type { Engine } from '../../engine/engine.ts';
import type { AnyEnvironment, Reliability } from '../../environments/environment.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { CollectRequest } from '../collect/collectRequest.ts';
import { modelName } from '../data/warmStartNames.ts';
import { RewardModel } from './rewardModel.ts';
import { finished, RewardModelError, readRewardModel } from './rewardModelFile.ts';

/** Lets the reward models of a world pay turns, where the controls leave that to one. A model is read when it is first asked. */
export class ModelPayment {
  private readonly models = new Map<string, RewardModel>();

  constructor(
    private readonly environment: AnyEnvironment,
    private readonly engine: Engine,
    private readonly load?: (reliability: Reliability) => Promise<ArrayBuffer>,
  ) {}

  /**
   * Returns the function that computes rewards under these controls; undefined if the environment itself rewards the
   * turns.
   * @throws {RewardModelError | CheckpointError} if a model is necessary and it does not exist or does not fit
   */
  async under(controls: ParameterValues): Promise<CollectRequest<unknown>['pay']> {
    const { learnedReward } = this.environment;
    const reliability = learnedReward?.judgeIn(controls);
    if (!learnedReward || !reliability) return undefined;
    const model = await this.opened(reliability);
    return async (turns) => {
      const rewards = await model.rewards(turns.map((turn) => learnedReward.reads(turn)));
      return turns.map(({ stepResult }, index) =>
        learnedReward.pay(stepResult, rewards[index], controls, model.reliability),
      );
    };
  }

  destroy(): void {
    for (const model of this.models.values()) model.destroy();
  }

  private async opened(reliability: Reliability): Promise<RewardModel> {
    const name = modelName(reliability);
    const known = this.models.get(name);
    if (known) return known;
    if (!this.load) throw new RewardModelError('no reward model can pay here');
    const model = new RewardModel(
      this.engine,
      finished(readRewardModel(this.engine.config, await this.load(reliability))),
    );
    this.models.set(name, model);
    return model;
  }
}
