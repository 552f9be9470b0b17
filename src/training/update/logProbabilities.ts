import { readBuffer } from '../../gpu/buffers.ts';
import type { Recorder } from '../../gpu/recorder.ts';
import type { Sequence } from '../../policy/batch.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Rollout } from '../../rollouts/rolloutBatch.ts';

/** Words of one target in `workspace.distribution`, and the place of its log-probability among them. */
const WORDS = 4;
const LOG_PROBABILITY = 1;

/**
 * Log-probabilities of what was written, under the policy as it is now, for looking at: nothing moves. Temperature 1, as the
 * surrogate has it.
 * @returns [rollouts][turns] sums over the tokens of each turn, nats
 */
export async function logProbabilities(
  policy: Policy,
  recorder: Recorder,
  rollouts: readonly Rollout[],
): Promise<readonly (readonly number[])[]> {
  const { workspace } = policy;
  const sequences = rollouts.map(({ tokens, turnOf }): Sequence => {
    const weights = Float32Array.from(turnOf, (turn) => Number(turn >= 0));
    return { tokens, weights, credits: turnOf, slot: 0 };
  });
  workspace.packer.clear();
  const minibatch = workspace.packer.add(sequences);
  workspace.uploadBatch();
  recorder.whole(() => policy.recordForward(recorder, minibatch));
  const read = await readBuffer(policy.gpu.device, workspace.distribution, WORDS * minibatch.targets);
  const found = new Float32Array(read);
  let target = 0;
  return rollouts.map(({ turnOf, turns }) => {
    const sums = turns.map(() => 0);
    for (const turn of turnOf) if (turn >= 0) sums[turn] += found[WORDS * target++ + LOG_PROBABILITY];
    return sums;
  });
}
