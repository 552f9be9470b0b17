import type { AnyEnvironment, RewardModelName } from '../../environments/environment.ts';
import type { Recorder } from '../../gpu/recorder.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Policy } from '../../policy/policy.ts';
import type { CollectRequest } from '../collect/collectRequest.ts';
import { RewardModel } from './rewardModel.ts';
import { finished, RewardModelError, readRewardModel } from './rewardModelFile.ts';

/** Lets the reward models of a world pay turns, where the controls leave that to one. A model is read when it is first asked. */
export class ModelPayment {
  private readonly models = new Map<RewardModelName, RewardModel>();

  /** @param load a model's file; no model can pay where absent */
  constructor(
    private readonly environment: AnyEnvironment,
    private readonly policy: Policy,
    private readonly recorder: Recorder,
    private readonly load?: (name: RewardModelName) => Promise<ArrayBuffer>,
  ) {}

  /**
   * What pays under these controls; undefined where the environment itself does.
   * @throws {RewardModelError | CheckpointError} where a model should pay, and there is none, or it does not fit
   */
  async under(controls: ParameterValues): Promise<CollectRequest<unknown>['pay']> {
    const { modelPaid } = this.environment;
    const name = modelPaid?.wanted(controls);
    if (!modelPaid || !name) return undefined;
    const model = await this.opened(name);
    return async (turns) => {
      const rewards = await model.rewards(
        this.recorder,
        turns.map((turn) => modelPaid.reads(turn)),
      );
      return turns.map(({ verdict }, index) => modelPaid.pay(verdict, rewards[index], controls, model.reliability));
    };
  }

  destroy(): void {
    for (const model of this.models.values()) model.destroy();
  }

  private async opened(name: RewardModelName): Promise<RewardModel> {
    const known = this.models.get(name);
    if (known) return known;
    if (!this.load) throw new RewardModelError('no reward model can pay here');
    const model = new RewardModel(this.policy, finished(readRewardModel(this.policy.config, await this.load(name))));
    this.models.set(name, model);
    return model;
  }
}
