import type { Engine, ValueNetwork } from '../../engine/engine.ts';
import { sigmoid } from '../../engine/shared.ts';
import type { AnyEnvironment, Reading, Reliability } from '../../environments/environment.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { CollectRequest } from '../collect/collector.ts';
import { modelName } from '../data/worlds.ts';
import { passes, targetsOf } from '../update/logProbabilities.ts';
import {
  type Centre,
  centreOf,
  type FinishedRewardModel,
  finished,
  RewardModelError,
  readRewardModel,
} from './rewardModelFile.ts';

/** Computes the value of a network after the last token of each sequence, without training. @returns [sequences] */
export async function valuesOf(
  network: ValueNetwork,
  engine: Pick<Engine, 'capacity'>,
  sequences: readonly (readonly number[])[],
): Promise<Float64Array> {
  const values = new Float64Array(sequences.length);
  // The network returns the value before a target, so a target is appended after the last token.
  const lengthened = sequences.map((tokens) => ({ tokens: appendDummyTarget(tokens) }));
  for (const { from, items } of passes(engine, lengthened)) {
    const targets = items.map(({ tokens }) =>
      targetsOf(
        tokens,
        tokens.map((_, at) => at === tokens.length - 1),
      ),
    );
    values.set(await network.values(targets), from);
  }
  return values;
}

/** Returns a sequence with an appended target. Its token is never read. */
export function appendDummyTarget(tokens: readonly number[]): readonly number[] {
  return [...tokens, tokens[tokens.length - 1]];
}

/**
 * Finished reward model. The reward is sigmoid(value - centre): the probability in the Bradley-Terry model that a turn
 * is better than a turn whose value is the centre.
 */
export class RewardModel {
  readonly reliability: Reliability;
  private readonly network: ValueNetwork;
  private readonly centre: Centre;

  /** @param engine engine of a policy with the shape of the model */
  constructor(
    private readonly engine: Engine,
    { parameters, centre, noise, bias }: FinishedRewardModel,
  ) {
    this.reliability = { noise, bias };
    this.centre = centre;
    this.network = engine.openValueNetwork(parameters);
  }

  /**
   * Computes the reward of each reading. Repeated readings are evaluated once.
   * @returns [readings] 0 to 1
   */
  async rewards(readings: readonly Reading[]): Promise<Float64Array> {
    const once = new Map(readings.map(({ tokens }) => [tokens.join(), tokens]));
    const values = await valuesOf(this.network, this.engine, [...once.values()]);
    const rows = new Map([...once.keys()].map((key, row) => [key, row]));
    return Float64Array.from(readings, ({ tokens, kind }) =>
      sigmoid(values[rows.get(tokens.join()) as number] - centreOf(this.centre, kind)),
    );
  }

  destroy(): void {
    this.network.destroy();
  }
}

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
