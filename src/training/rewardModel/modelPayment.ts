import type { Engine } from '../../engine/engine.ts';
import type { AnyEnvironment, Reliability } from '../../environments/environment.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { CollectRequest } from '../collect/collectRequest.ts';
import { modelName } from '../data/warmStartNames.ts';
import { RewardModel } from './rewardModel.ts';
import { finished, RewardModelError, readRewardModel } from './rewardModelFile.ts';

/** Rewards of turns by the reward models of a world, if the controls select one. A model is loaded at its first use. */
export class ModelPayment {
  private readonly models = new Map<string, RewardModel>();

  constructor(
    private readonly environment: AnyEnvironment,
    private readonly engine: Engine,
    private readonly load?: (reliability: Reliability) => Promise<ArrayBuffer>,
  ) {}

  /**
   * Returns a function that sets the rewards of turns under these controls; undefined if the environment computes them.
   * @throws {RewardModelError | CheckpointError} if the selected model does not exist or does not fit the policy
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
