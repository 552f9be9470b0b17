import { exp, expm1, square } from '../numbers/exponential.ts';

/**
 * Weights of the objective. This file computes the objective of one policy token in float64, with the derivative of
 * each term. It is the reference implementation of `shaders/objective/clipped_surrogate.wgsl`. Tokens of the
 * environment are excluded. Clipping: Schulman et al. 2017 (arXiv 1707.06347), with separate bounds as in DAPO (Yu et
 * al. 2025, 2503.14476). Shared ratios: GSPO and GSPO-token (Zheng et al. 2025, 2507.18071). k1 and k3: Schulman 2020,
 * "Approximating KL divergence".
 */
export interface ObjectiveWeights {
  /** Lower clip distance: the gradient is 0 for a ratio below 1 - clipLow if A < 0. */
  readonly clipLow: number;
  /** Upper clip distance: the gradient is 0 for a ratio above 1 + clipHigh if A > 0. */
  readonly clipHigh: number;
  readonly klCoef: number;
  readonly entropyCoef: number;
  readonly valueCoef: number;
  /** Maximum distance of a value from its old value; the value loss does not reward a larger distance. */
  readonly valueClip: number;
}

/** Inputs of the objective at one policy token; log-probabilities and entropy in nats. */
export interface PolicyToken {
  readonly logProb: number;
  /** Log-probability under the policy that sampled the token. */
  readonly oldLogProb: number;
  /** Log-probability under the frozen reference. */
  readonly referenceLogProb: number;
  readonly advantage: number;
  /** Entropy of the full next-token distribution. */
  readonly entropy: number;
  /** Data of the critic; absent for rules without a critic, whose value loss is 0. */
  readonly critic?: CriticToken | undefined;
}

export interface CriticToken {
  readonly value: number;
  readonly oldValue: number;
  /** Target of the value prediction. */
  readonly return: number;
}

/** Term of the objective and its derivative by its variable. */
export interface Term {
  readonly value: number;
  readonly derivative: number;
}

const NONE: Term = { value: 0, derivative: 0 };

/** Computes the probability ratio pi / pi_old. */
export function probabilityRatio(logProb: number, oldLogProb: number): number {
  return exp(logProb - oldLogProb);
}

/**
 * Unit that shares an importance ratio: each token has a separate ratio, or the policy tokens of a turn or of a
 * sequence share a ratio.
 */
export type RatioLevel = 'token' | 'turn' | 'sequence';

/**
 * Computes the ratio that tokens share, their geometric mean: exp((1 / n) sum of (logp - old)), as in GSPO.
 * @param tokens of a turn or of a sequence; at least one
 */
export function sharedRatio(tokens: readonly Pick<PolicyToken, 'logProb' | 'oldLogProb'>[]): number {
  const sum = tokens.reduce((total, { logProb, oldLogProb }) => total + logProb - oldLogProb, 0);
  return exp(sum / tokens.length);
}

/** Computes k1 = logp - ref: unbiased for KL(policy || reference), noisy, of either sign. */
export function klK1(logProb: number, referenceLogProb: number): Term {
  return { value: logProb - referenceLogProb, derivative: 1 };
}

/** Computes k3 = exp(ref - logp) - (ref - logp) - 1: also unbiased, and never negative. The derivative is by logp. */
export function klK3(logProb: number, referenceLogProb: number): Term {
  const difference = referenceLogProb - logProb;
  // expm1 retains the digits of small differences, at which k3 is about difference^2 / 2.
  return { value: expm1(difference) - difference, derivative: -expm1(difference) };
}

/** Clipped surrogate of a token, to be maximised. */
export interface Surrogate extends Term {
  /** True if the lower clip is active (A < 0); the derivative is 0 then. */
  readonly clippedLow: boolean;
  /** True if the upper clip is active (A > 0); the derivative is 0 then. */
  readonly clippedHigh: boolean;
}

/**
 * Computes min(ratio A, clip(ratio, 1 - clipLow, 1 + clipHigh) A). The derivative is by logp, through ratio = exp(logp
 * - old). If n tokens share a ratio, a logp changes each of their n surrogates by ratio A / n: by ratio A in total, if
 * they also share A. If they do not share A, the derivative is the derivative of GSPO-token. There, a logp changes only
 * the surrogate of its token.
 */
export function clippedSurrogate(ratio: number, A: number, clipLow: number, clipHigh: number): Surrogate {
  const clippedLow = ratio < 1 - clipLow && A < 0;
  const clippedHigh = ratio > 1 + clipHigh && A > 0;
  const clipped = Math.min(Math.max(ratio, 1 - clipLow), 1 + clipHigh);
  const value = Math.min(ratio * A, clipped * A);
  return { value, derivative: clippedLow || clippedHigh ? 0 : ratio * A, clippedLow, clippedHigh };
}

/** Computes 0.5 max((V - R)^2, (Vclip - R)^2), Vclip = oldV + clip(V - oldV, +-valueClip). The derivative is by V. */
export function valueLoss({ value: V, oldValue, return: R }: CriticToken, valueClip: number): Term {
  const Vclip = oldValue + Math.min(Math.max(V - oldValue, -valueClip), valueClip);
  const plain = square(V - R);
  const clipped = square(Vclip - R);
  // The clipped square is larger only if V is outside the interval, and then Vclip does not depend on V. Inside the
  // interval both squares differ only by rounding, which must not decide.
  const inside = Math.abs(V - oldValue) <= valueClip;
  return { value: 0.5 * Math.max(plain, clipped), derivative: inside || plain >= clipped ? V - R : 0 };
}

/** Loss of one policy token, its terms, and its derivatives by the outputs of the network. */
export interface TokenLoss {
  /** Loss to be minimised: -surrogate + klCoef k3 - entropyCoef H + valueCoef valueLoss. */
  readonly loss: number;
  readonly ratio: number;
  readonly surrogate: number;
  /** KL to the frozen reference, as k1. */
  readonly klReferenceK1: number;
  /** KL to the frozen reference, as k3. */
  readonly klReference: number;
  /** KL to the policy that sampled, old - new, as in the metrics. */
  readonly klOld: number;
  /** KL to the policy that sampled, as k3. */
  readonly klOldK3: number;
  readonly valueLoss: number;
  readonly clippedLow: boolean;
  readonly clippedHigh: boolean;
  readonly dLogProb: number;
  readonly dEntropy: number;
  readonly dValue: number;
}

/**
 * Computes the objective at one policy token. Its share of the loss is this value times the token's weight
 * (tokenWeights).
 * @param ratio of the token, or the shared ratio (sharedRatio)
 */
export function tokenLoss(
  token: PolicyToken,
  weights: ObjectiveWeights,
  ratio: number = probabilityRatio(token.logProb, token.oldLogProb),
): TokenLoss {
  const { logProb, oldLogProb, referenceLogProb, advantage, entropy, critic } = token;
  const { clipLow, clipHigh, klCoef, entropyCoef, valueCoef, valueClip } = weights;
  const surrogate = clippedSurrogate(ratio, advantage, clipLow, clipHigh);
  const kl = klK3(logProb, referenceLogProb);
  // Without the penalty its terms are omitted, because 0 times an overflow is NaN.
  const penalty = klCoef > 0 ? kl : NONE;
  const value = critic ? valueLoss(critic, valueClip) : NONE;
  return {
    loss: -surrogate.value + klCoef * penalty.value - entropyCoef * entropy + valueCoef * value.value,
    ratio,
    surrogate: surrogate.value,
    klReferenceK1: klK1(logProb, referenceLogProb).value,
    klReference: kl.value,
    klOld: oldLogProb - logProb,
    // KL(old || new) from tokens of old: exp(new - old) - (new - old) - 1.
    klOldK3: klK3(oldLogProb, logProb).value,
    valueLoss: value.value,
    clippedLow: surrogate.clippedLow,
    clippedHigh: surrogate.clippedHigh,
    dLogProb: -surrogate.derivative + klCoef * penalty.derivative,
    dEntropy: -entropyCoef,
    dValue: valueCoef * value.derivative,
  };
}

/** Method of averaging tokens: over all policy tokens, or within each sequence first. */
export type Aggregation = 'token-mean' | 'sequence-mean';

/**
 * Computes the weight of each policy token of each sequence in the loss. Over all policy tokens, the weights sum to 1.
 * Sequences without policy tokens do not count in the mean over sequences.
 * @param policyTokens [sequences] number of policy tokens of each
 * @returns [sequences]; 0 for sequences without policy tokens
 */
export function tokenWeights(policyTokens: ArrayLike<number>, aggregation: Aggregation): Float64Array {
  const counts = Float64Array.from(policyTokens);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const sequences = counts.filter((count) => count > 0).length;
  return counts.map((count) => {
    if (count === 0) return 0;
    return aggregation === 'token-mean' ? 1 / total : 1 / (sequences * count);
  });
}
