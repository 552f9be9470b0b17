import type { PolicyConfiguration } from '../src/policy/policyConfiguration.ts';
import { CounterRandom } from '../src/random/counter.ts';
import type { RolloutBatch } from '../src/rollouts/rolloutBatch.ts';

/** One sequence to learn from; every array has one entry a token. */
export interface Lesson {
  readonly tokens: Uint32Array;
  /** Weight in the loss's mean; 0 where the environment wrote the token. */
  readonly weights: Float32Array;
  readonly advantages: Float32Array;
  readonly oldLogProbs: Float32Array;
}

/** Work of both sides of the comparison: the same network, the same sequences. */
export interface Workload {
  readonly config: PolicyConfiguration;
  /** Flat, in the order of the policy's layout. */
  readonly parameters: Float32Array;
  /** A minibatch to train on. */
  readonly lessons: readonly Lesson[];
  /** A batch whose turns generation imitates. */
  readonly batch: RolloutBatch;
  /** Most tokens that the policy may write in each turn. */
  readonly turnLimits: readonly number[];
}

/** Stream of the draws below; the project itself uses small numbers. */
const STREAM = 2000;

/**
 * Makes lessons of rollouts. Their tokens are the real ones. Advantages and the distance from the old policy are drawn,
 * so that the comparison of losses does not depend on rewards that may be equal by chance.
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
 * Real tokens that a training step runs through the network. This excludes a sequence's last token, which is only
 * predicted.
 */
export function trainedTokens(lessons: readonly Lesson[]): number {
  return lessons.reduce((sum, { tokens }) => sum + tokens.length - 1, 0);
}
