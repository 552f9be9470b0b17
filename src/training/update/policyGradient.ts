import type { Engine } from '../../engine/engine.ts';
import type { Sequence } from '../../engine/shared.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';

/**
 * Computes the gradient of the mean of advantage · log π over the policy tokens of a batch. Policy and optimizer do not
 * change. At the policy that sampled the tokens, it is also the gradient of the clipped surrogate.
 * @param advantage [turns of the forest] turns with advantage 0 or NaN add nothing
 * @returns [parameters] the direction that increases the mean; zeros if no turn has an advantage
 */
export function policyGradient(
  engine: Engine,
  batch: RolloutBatch,
  advantage: ArrayLike<number>,
): Promise<Float32Array> {
  const sequences = batch.rollouts.map(({ tokens, turnOf, turns }): Sequence => {
    const weights = Float32Array.from(turnOf, (turn) =>
      turn < 0 ? 0 : (advantage[turns[turn].forestTurn] || 0) / batch.policyTokens,
    );
    return { tokens, weights, credits: turnOf, slot: 0 };
  });
  return engine.gradient(sequences);
}
