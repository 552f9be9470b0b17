import type { ObjectiveWeights } from '../objective/surrogate.ts';
import type { ParameterValues } from '../parameters/parameters.ts';
import { ADAMW, type AdamWStep } from '../policy/optimizer.ts';

// Settings of the losses and steps of an update, from the controls of a run.

/** Returns the weights of the terms of the policy's loss. The critic has a separate loss. */
export function objectiveWeights(controls: ParameterValues): ObjectiveWeights {
  const number = (name: string) => controls[name] as number;
  return {
    clipLow: number('clipLow'),
    clipHigh: number('clipHigh'),
    klCoef: number('klCoef'),
    entropyCoef: number('entropyCoef'),
    valueCoef: 0,
    valueClip: 0,
  };
}

/** Returns true if tokens of the policy share importance ratios. */
export function sharesRatios({ ratio = 'token' }: ParameterValues): boolean {
  return ratio !== 'token';
}

/** Returns the maximum distance of a critic's value from its value at sampling; Infinity without a limit. */
export function valueClipOf({ valueClip }: ParameterValues): number {
  return valueClip === 0 ? Infinity : (valueClip as number);
}

export function adamwStep(
  { clipNorm }: ParameterValues,
  [beta1, beta2]: readonly [number, number],
  learningRate: number,
): AdamWStep {
  return { ...ADAMW, beta1, beta2, learningRate, clipNorm: clipNorm as number };
}

/**
 * Returns the policy's learning rate at an update. It rises linearly over the first `warmUp` updates of a run; the last
 * of them has the full rate.
 * @param step number of earlier updates
 */
export function learningRate({ learningRate: rate, warmUp = 0 }: ParameterValues, step: number): number {
  return warmUp === 0 ? (rate as number) : (rate as number) * Math.min(1, (step + 1) / (warmUp as number));
}
