import { expect } from 'vitest';
import type { PolicyConfiguration } from '../../../src/policy/weights.ts';
import { type ReferenceToken, referenceTokens } from '../../reference/network.ts';
import { openRun, referenceOf, testParameters, testRandom } from './policyRun.ts';

/** Creates random sequences in which each token has weight 1. */
function sequences(config: PolicyConfiguration, lengths: readonly number[]) {
  const random = testRandom(7);
  return lengths.map((length) => ({
    tokens: Array.from({ length }, () => random.integer(config.vocab)),
    weights: Array.from({ length }, () => 1),
  }));
}

function largestGap(actual: readonly ReferenceToken[], expected: readonly ReferenceToken[]): number {
  expect(actual.length).toBe(expected.length);
  const gaps = expected.flatMap(({ logProb, entropy, value }, i) => {
    return [logProb - actual[i].logProb, entropy - actual[i].entropy, value - actual[i].value];
  });
  return gaps.reduce((largest, gap) => Math.max(largest, Number.isNaN(gap) ? Infinity : Math.abs(gap)), 0);
}

/** Compares the log-probabilities, entropies and values of a policy with the float64 network. */
export async function expectReferenceForward(config: PolicyConfiguration): Promise<void> {
  const parameters = testParameters(config, 3);
  const tensors = referenceOf(config, parameters);
  const run = await openRun(config, 6, 500);
  run.policy.start(parameters);
  const single = sequences(config, [config.context]);
  const packed = sequences(config, [2, 13, 1, 37, 7, 53]);
  const pair = sequences(config, [2]);
  const all = [single, packed, pair];
  for (const [index, minibatch] of run.pack(...all).entries()) {
    const exact = all[index].flatMap(({ tokens }) => referenceTokens(config, tensors, tokens));
    expect(largestGap(await run.forward(minibatch), exact), `minibatch ${index}`).toBeLessThan(1e-4);
  }
  run.close();
}
