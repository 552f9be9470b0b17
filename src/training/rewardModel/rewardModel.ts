import type { Recorder } from '../../gpu/recorder.ts';
import { sigmoid } from '../../objective/preference.ts';
import type { Policy } from '../../policy/policy.ts';
import { ValueNetwork } from '../../policy/valueNetwork.ts';
import { passes, targetPass, VALUE } from '../update/targetPass.ts';

/** What a model reads: tokens, behind the last of which stands its value. */
type Read = readonly number[];

/** What a value network says behind the last token of each sequence; nothing moves. @returns [sequences] */
export async function valuesOf(
  network: ValueNetwork,
  policy: Policy,
  recorder: Recorder,
  sequences: readonly Read[],
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
export function behind(tokens: Read): readonly number[] {
  return [...tokens, tokens[tokens.length - 1]];
}

/**
 * A reward model that learns no more. What it pays is sigmoid(value - centre): the probability, as Bradley and Terry have
 * it, that the program is better than one as good as the centre.
 */
export class RewardModel {
  private readonly network: ValueNetwork;

  /**
   * @param policy whose buffers it works in, and whose shape it has
   * @param centre mean value of the programs that it was trained on
   */
  constructor(
    private readonly policy: Policy,
    parameters: Float32Array,
    private readonly centre: number,
  ) {
    this.network = new ValueNetwork(policy.gpu, policy.workspace, policy.kernels, 'reward model');
    this.network.load(parameters);
  }

  /** What it pays for each sequence, between 0 and 1. What stands there several times is read once. @returns [sequences] */
  async rewards(recorder: Recorder, sequences: readonly Read[]): Promise<Float64Array> {
    const once = new Map(sequences.map((tokens) => [tokens.join(), tokens]));
    const values = await valuesOf(this.network, this.policy, recorder, [...once.values()]);
    const rows = new Map([...once.keys()].map((key, row) => [key, row]));
    return Float64Array.from(sequences, (tokens) => sigmoid(values[rows.get(tokens.join()) as number] - this.centre));
  }

  destroy(): void {
    this.network.destroy();
  }
}
