import type { AdamWStep } from '../../src/policy/optimizer.ts';

/** Parameters and moments of AdamW in float64. */
export interface AdamWState {
  readonly parameters: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
}

/**
 * Computes one AdamW step with clipping by the global norm, as specified in docs/reference/policy.md.
 * @param step number of this step, from 1
 * @param decays returns true if weight decay applies to parameter i
 */
export function adamwStep(
  state: AdamWState,
  gradient: ArrayLike<number>,
  settings: AdamWStep,
  step: number,
  decays: (i: number) => boolean,
): AdamWState {
  const { learningRate, beta1, beta2, epsilon, weightDecay, clipNorm } = settings;
  const squares = Array.from(gradient, (g) => g * g).reduce((a, b) => a + b, 0);
  const clip = Math.min(1, clipNorm / (Math.sqrt(squares) + 1e-6));
  const first = state.first.map((m, i) => beta1 * m + (1 - beta1) * clip * gradient[i]);
  const second = state.second.map((v, i) => beta2 * v + (1 - beta2) * (clip * gradient[i]) ** 2);
  const parameters = state.parameters.map((weight, i) => {
    const m = first[i] / (1 - beta1 ** step);
    const v = second[i] / (1 - beta2 ** step);
    const decayed = decays(i) ? weight * (1 - learningRate * weightDecay) : weight;
    return decayed - (learningRate * m) / (Math.sqrt(v) + epsilon);
  });
  return { parameters, first, second };
}
