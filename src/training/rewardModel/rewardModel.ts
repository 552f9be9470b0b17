import type { Reading, Reliability } from '../../environments/environment.ts';
import type { Recorder } from '../../gpu/recorder.ts';
import { sigmoid } from '../../objective/preference.ts';
import type { Policy } from '../../policy/policy.ts';
import { ValueNetwork } from '../../policy/valueNetwork.ts';
import { passes, targetPass, VALUE } from '../update/targetPass.ts';
import { type Centre, centreOf, type FinishedRewardModel } from './rewardModelFile.ts';

/** What a value network says behind the last token of each sequence; nothing moves. @returns [sequences] */
export async function valuesOf(
  network: ValueNetwork,
  policy: Policy,
  recorder: Recorder,
  sequences: readonly (readonly number[])[],
): Promise<Float64Array> {
  const values = new Float64Array(sequences.length);
  // A value is read off the token before its target: one more token stands behind the last.
  const lengthened = sequences.map((tokens) => ({ tokens: behind(tokens) }));
  for (const { from, items } of passes(policy, lengthened)) {
    const looked = items.map(({ tokens }) => ({ tokens, counts: tokens.map((_, at) => at === tokens.length - 1) }));
    const record = (minibatch: Parameters<ValueNetwork['recordValues']>[1]) =>
      network.recordValues(recorder, minibatch);
    values.set(await targetPass(policy, recorder, looked, { word: VALUE, record }), from);
  }
  return values;
}

/** A sequence with a target behind it, which is never read. */
export function behind(tokens: readonly number[]): readonly number[] {
  return [...tokens, tokens[tokens.length - 1]];
}

/**
 * A reward model that learns no more. What it pays is sigmoid(value - centre): the probability, as Bradley and Terry have
 * it, that what was written is better than something as good as the centre.
 */
export class RewardModel {
  readonly reliability: Reliability;
  private readonly network: ValueNetwork;
  private readonly centre: Centre;

  /** @param policy whose buffers it works in, and whose shape it has */
  constructor(
    private readonly policy: Policy,
    { parameters, centre, noise, bias }: FinishedRewardModel,
  ) {
    this.reliability = { noise, bias };
    this.centre = centre;
    this.network = new ValueNetwork(policy.gpu, policy.workspace, policy.kernels, 'reward model');
    this.network.load(parameters);
  }

  /** What it pays for each reading, between 0 and 1. What stands there several times is read once. @returns [readings] */
  async rewards(recorder: Recorder, readings: readonly Reading[]): Promise<Float64Array> {
    const once = new Map(readings.map(({ tokens }) => [tokens.join(), tokens]));
    const values = await valuesOf(this.network, this.policy, recorder, [...once.values()]);
    const rows = new Map([...once.keys()].map((key, row) => [key, row]));
    return Float64Array.from(readings, ({ tokens, kind }) =>
      sigmoid(values[rows.get(tokens.join()) as number] - centreOf(this.centre, kind)),
    );
  }

  destroy(): void {
    this.network.destroy();
  }
}
