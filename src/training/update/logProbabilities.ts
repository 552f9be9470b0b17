import { readBuffer } from '../../gpu/buffers.ts';
import type { Recorder } from '../../gpu/recorder.ts';
import type { Sequence } from '../../policy/batch.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Rollout } from '../../rollouts/rolloutBatch.ts';
import type { Question } from '../collect/beliefs.ts';

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
  const found = await forward(
    policy,
    recorder,
    rollouts.map(({ tokens, turnOf }) => ({ tokens, counts: Array.from(turnOf, (turn) => turn >= 0) })),
  );
  let target = 0;
  return rollouts.map(({ turnOf, turns }) => {
    const sums = turns.map(() => 0);
    for (const turn of turnOf) if (turn >= 0) sums[turn] += found[target++];
    return sums;
  });
}

/**
 * How probable the policy finds answers that others give it, as many at a time as there is room for.
 * @returns [questions] mean log-probability over the tokens of the answer, nats
 */
export async function answerProbabilities(
  policy: Policy,
  recorder: Recorder,
  questions: readonly Question[],
): Promise<Float64Array> {
  const { rowCapacity } = policy.workspace;
  const means = new Float64Array(questions.length);
  let done = 0;
  while (done < questions.length) {
    let [until, rows] = [done, 0];
    while (until < questions.length && rows + questions[until].tokens.length <= rowCapacity) {
      rows += questions[until++].tokens.length;
    }
    if (until === done)
      throw new RangeError(`a question of ${questions[done].tokens.length} tokens is longer than ${rowCapacity}`);
    const now = questions.slice(done, until);
    const found = await forward(
      policy,
      recorder,
      now.map(({ tokens, answer }) => ({ tokens, counts: tokens.map((_, at) => at >= tokens.length - answer) })),
    );
    let target = 0;
    now.forEach(({ answer }, index) => {
      let sum = 0;
      for (let token = 0; token < answer; token++) sum += found[target++];
      means[done + index] = sum / answer;
    });
    done = until;
  }
  return means;
}

/** One pass. @returns [counted tokens] log-probability of each, nats */
async function forward(
  policy: Policy,
  recorder: Recorder,
  all: readonly { readonly tokens: ArrayLike<number>; readonly counts: readonly boolean[] }[],
): Promise<Float32Array> {
  const { workspace } = policy;
  const sequences = all.map(({ tokens, counts }): Sequence => {
    const weights = Float32Array.from(counts, Number);
    return { tokens, weights, credits: weights, slot: 0 };
  });
  workspace.packer.clear();
  const minibatch = workspace.packer.add(sequences);
  workspace.uploadBatch();
  recorder.whole(() => policy.recordForward(recorder, minibatch));
  const read = await readBuffer(policy.gpu.device, workspace.distribution, WORDS * minibatch.targets);
  const words = new Float32Array(read);
  return Float32Array.from({ length: minibatch.targets }, (_, target) => words[WORDS * target + LOG_PROBABILITY]);
}
