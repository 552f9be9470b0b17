import type { Engine, ValueNetwork } from '../../engine/engine.ts';
import { sigmoid } from '../../engine/shared.ts';
import type { Reading, Reliability } from '../../environments/environment.ts';
import { passes, targetsOf } from '../update/passes.ts';
import { type Centre, centreOf, type FinishedRewardModel } from './rewardModelFile.ts';

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
