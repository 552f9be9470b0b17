import type { PolicyConfiguration } from '../src/policy/weights.ts';
import { CounterRandom } from '../src/random/counter.ts';
import type { RolloutBatch } from '../src/rollouts/rolloutBatch.ts';

/** Training sequence. Every array has one entry per token. */
export interface Lesson {
  readonly tokens: Uint32Array;
  /** Weight in the mean of the loss; 0 at tokens of the environment. */
  readonly weights: Float32Array;
  readonly advantages: Float32Array;
  readonly oldLogProbs: Float32Array;
}

/** Work for both sides of the comparison: the same network and the same sequences. */
export interface Workload {
  readonly config: PolicyConfiguration;
  /** Parameters as one flat array, in the order of the policy's layout. */
  readonly parameters: Float32Array;
  /** Minibatch to train on. */
  readonly lessons: readonly Lesson[];
  /** Batch with the turns that the peer also generates. */
  readonly batch: RolloutBatch;
  /** Maximum number of tokens that the policy writes in each turn. */
  readonly turnLimits: readonly number[];
}

/** Stream of the draws below. Streams of the project have smaller numbers. */
const STREAM = 2000;

/**
 * Converts rollouts to lessons with the same tokens. Advantages and the distance from the old policy are random, so
 * that the comparison of losses does not depend on rewards, which can be equal by chance.
 */
export function lessonsOf(batch: RolloutBatch, count: number): Lesson[] {
  const random = new CounterRandom(1, STREAM);
  const rollouts = batch.rollouts.slice(0, count);
  const policyTokens = rollouts.reduce((sum, { turnOf }) => sum + turnOf.filter((turn) => turn >= 0).length, 0);
  return rollouts.map(({ tokens, turnOf, turns, logProb }) => {
    const advantages = turns.map(() => random.normal());
    return {
      tokens,
      weights: Float32Array.from(turnOf, (turn) => (turn < 0 ? 0 : 1 / policyTokens)),
      advantages: Float32Array.from(turnOf, (turn) => (turn < 0 ? 0 : advantages[turn])),
      oldLogProbs: logProb.map((value, at) => (turnOf[at] < 0 ? 0 : value + 0.3 * random.normal())),
    };
  });
}

/**
 * Returns the number of tokens that a training step runs through the network, without padding. The last token of a
 * sequence does not count, because it is only predicted.
 */
export function trainedTokens(lessons: readonly Lesson[]): number {
  return lessons.reduce((sum, { tokens }) => sum + tokens.length - 1, 0);
}
