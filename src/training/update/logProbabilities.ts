import type { Recorder } from '../../gpu/recorder.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Rollout } from '../../rollouts/rolloutBatch.ts';
import type { Question } from '../collect/beliefs.ts';
import { LOG_PROBABILITY, passes, targetPass } from './targetPass.ts';

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
  const found = await targetPass(
    policy,
    recorder,
    rollouts.map(({ tokens, turnOf }) => ({ tokens, counts: Array.from(turnOf, (turn) => turn >= 0) })),
    { word: LOG_PROBABILITY, record: (minibatch) => policy.recordForward(recorder, minibatch) },
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
  const means = new Float64Array(questions.length);
  for (const { from, items } of passes(policy, questions)) {
    const found = await targetPass(
      policy,
      recorder,
      items.map(({ tokens, answer }) => ({ tokens, counts: tokens.map((_, at) => at >= tokens.length - answer) })),
      { word: LOG_PROBABILITY, record: (minibatch) => policy.recordForward(recorder, minibatch) },
    );
    let target = 0;
    items.forEach(({ answer }, index) => {
      let sum = 0;
      for (let token = 0; token < answer; token++) sum += found[target++];
      means[from + index] = sum / answer;
    });
  }
  return means;
}
