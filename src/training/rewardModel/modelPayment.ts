import type { AnyEnvironment } from '../../environments/environment.ts';
import type { Recorder } from '../../gpu/recorder.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Policy } from '../../policy/policy.ts';
import type { CollectRequest } from '../collect/collectRequest.ts';
import { RewardModel } from './rewardModel.ts';
import { finished, RewardModelError, readRewardModel } from './rewardModelFile.ts';

/** Lets the reward model of a world pay turns, where the controls leave that to it. The model is read when it is first asked. */
export class ModelPayment {
  private model: RewardModel | undefined;

  /** @param load the model's file; no model can pay where absent */
  constructor(
    private readonly environment: AnyEnvironment,
    private readonly policy: Policy,
    private readonly recorder: Recorder,
    private readonly load?: () => Promise<ArrayBuffer>,
  ) {}

  /**
   * What pays under these controls; undefined where the environment itself does.
   * @throws {RewardModelError | CheckpointError} where a model should pay, and there is none, or it does not fit
   */
  async under(controls: ParameterValues): Promise<CollectRequest<unknown>['pay']> {
    const { modelPaid } = this.environment;
    if (!modelPaid?.wanted(controls)) return undefined;
    const model = await this.opened();
    return async (turns) => {
      const rewards = await model.rewards(
        this.recorder,
        turns.map(({ task, written }) => modelPaid.reads(task, written)),
      );
      return turns.map(({ verdict }, index) => modelPaid.pay(verdict, rewards[index], controls));
    };
  }

  destroy(): void {
    this.model?.destroy();
  }

  private async opened(): Promise<RewardModel> {
    if (this.model) return this.model;
    if (!this.load) throw new RewardModelError('no reward model can pay here');
    const { parameters, centre } = finished(readRewardModel(this.policy.config, await this.load()));
    this.model = new RewardModel(this.policy, parameters, centre);
    return this.model;
  }
}
