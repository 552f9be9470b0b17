import type { Engine } from '../../engine/engine.ts';
import { exp } from '../../numbers/exponential.ts';
import type { Rollout } from '../../rollouts/rolloutBatch.ts';
import type { Question } from '../collect/answerProbabilities.ts';
import { passes, targetsOf } from './passes.ts';

/**
 * Computes the log-probabilities of turns under the current policy, at temperature 1 as in the surrogate. The policy
 * does not change.
 * @returns [rollouts][turns] sums over the tokens of each turn [nats]
 */
export async function logProbabilities(
  engine: Engine,
  rollouts: readonly Rollout[],
): Promise<readonly (readonly number[])[]> {
  const sequences = rollouts.map(({ tokens, turnOf }) =>
    targetsOf(
      tokens,
      Array.from(turnOf, (turn) => turn >= 0),
    ),
  );
  const values = await engine.logProbabilities(sequences, 'policy');
  let target = 0;
  return rollouts.map(({ turnOf, turns }) => {
    const sums = turns.map(() => 0);
    for (const turn of turnOf) if (turn >= 0) sums[turn] += values[target++];
    return sums;
  });
}

/**
 * Computes the probability of answers under the current policy, in passes that fit the engine.
 * @returns [questions] mean log-probability over the tokens of the answer [nats]
 */
export async function answerProbabilities(engine: Engine, questions: readonly Question[]): Promise<Float64Array> {
  const means = new Float64Array(questions.length);
  for (const { from, items } of passes(engine, questions)) {
    const sequences = items.map(({ tokens, answer }) =>
      targetsOf(
        tokens,
        tokens.map((_, at) => at >= tokens.length - answer),
      ),
    );
    const values = await engine.logProbabilities(sequences, 'policy');
    let target = 0;
    items.forEach(({ answer }, index) => {
      let sum = 0;
      for (let token = 0; token < answer; token++) sum += values[target++];
      means[from + index] = sum / answer;
    });
  }
  return means;
}

/**
 * Computes the distribution of the next token under the current policy: the normalised p^(1/T), which is the softmax of
 * the logits divided by T.
 * @param contexts tokens before the next token
 * @param size size of the vocabulary
 * @param temperature T
 * @returns [contexts][vocabulary] probabilities that sum to 1
 */
export async function nextTokens(
  engine: Engine,
  contexts: readonly (readonly number[])[],
  size: number,
  temperature: number,
): Promise<readonly (readonly number[])[]> {
  const questions = contexts.flatMap((context) =>
    Array.from({ length: size }, (_, token): Question => ({ tokens: [...context, token], answer: 1 })),
  );
  const logProbabilities = await answerProbabilities(engine, questions);
  return contexts.map((_, index) => {
    const weights = Array.from(logProbabilities.subarray(index * size, (index + 1) * size), (value) =>
      exp(value / temperature),
    );
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map((weight) => weight / sum);
  });
}
