import { readBuffer } from '../../gpu/buffers.ts';
import type { Recorder } from '../../gpu/recorder.ts';
import type { Minibatch, Sequence } from '../../policy/batch.ts';
import type { Policy } from '../../policy/policy.ts';

/** Number of words per target in `workspace.distribution`. */
const STRIDE = 4;
/** Index of the log-probability among the words of a target. */
export const LOG_PROBABILITY = 1;
/** Index of the value among the words of a target. */
export const VALUE = 3;

/** Packs and uploads one minibatch, which replaces earlier uploads. */
export function packed({ workspace }: Policy, sequences: readonly Sequence[]): Minibatch {
  workspace.packer.clear();
  const minibatch = workspace.packer.add(sequences);
  workspace.uploadBatch();
  return minibatch;
}

/**
 * Runs one forward pass without a backward pass.
 * @param record records the pass and the distribution at its targets
 * @param field index of the returned word
 * @returns [targets] the word of each token with a weight
 */
export async function targetPass(
  policy: Policy,
  recorder: Recorder,
  sequences: readonly Sequence[],
  record: (minibatch: Minibatch) => void,
  field: typeof LOG_PROBABILITY | typeof VALUE,
): Promise<Float32Array> {
  const minibatch = packed(policy, sequences);
  recorder.atomic(() => record(minibatch));
  const { gpu, workspace } = policy;
  const values = new Float32Array(await readBuffer(gpu.device, workspace.distribution, STRIDE * minibatch.targets));
  return Float32Array.from({ length: minibatch.targets }, (_, target) => values[STRIDE * target + field]);
}
