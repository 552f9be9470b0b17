import { exp, expm1 } from '../numbers/exponential.ts';
import { square } from '../numbers/powers.ts';

/**
 * The objective of one policy token in float64, term by term with its derivatives: the reference that the kernel
 * `shaders/objective/clipped_surrogate.wgsl` is compared with. Tokens that the environment wrote never come here.
 * Clipping: Schulman et al. 2017 (arXiv 1707.06347), with separate bounds as in DAPO (Yu et al. 2025, 2503.14476);
 * ratios that tokens share: GSPO and GSPO-token (Zheng et al. 2025, 2507.18071); k1 and k3: Schulman 2020,
 * "Approximating KL divergence".
 */
export interface ObjectiveWeights {
  /** The ratio stops counting below 1 - clipLow where A < 0, and above 1 + clipHigh where A > 0. */
  readonly clipLow: number;
  readonly clipHigh: number;
  readonly klCoef: number;
  readonly entropyCoef: number;
  readonly valueCoef: number;
  /** Distance that the value may move from its old value before the value loss stops rewarding the move. */
  readonly valueClip: number;
}

/** Inputs of the objective at one policy token; log-probabilities and entropy in nats. */
export interface PolicyToken {
  readonly logProb: number;
  /** Under the policy that sampled the token. */
  readonly oldLogProb: number;
  /** Under the frozen reference. */
  readonly referenceLogProb: number;
  readonly advantage: number;
  /** Of the full next-token distribution. */
  readonly entropy: number;
  /** Absent for rules without a critic: the value loss is 0. */
  readonly critic?: CriticToken | undefined;
}

export interface CriticToken {
  readonly value: number;
  readonly oldValue: number;
  /** Target of the value prediction. */
  readonly return: number;
}

/** A term and its derivative by the quantity it depends on. */
export interface Term {
  readonly value: number;
  readonly derivative: number;
}

const NONE: Term = { value: 0, derivative: 0 };

/** The probability ratio pi / pi_old. */
export function probabilityRatio(logProb: number, oldLogProb: number): number {
  return exp(logProb - oldLogProb);
}

/**
 * Unit that shares an importance ratio: each token has a separate ratio, or the policy's tokens of a turn or of a
 * sequence have one.
 */
export type RatioLevel = 'token' | 'turn' | 'sequence';

/**
 * The ratio that tokens share, the geometric mean of theirs: exp((1 / n) sum of (logp - old)), as in GSPO.
 * @param tokens of a turn or of a sequence; at least one
 */
export function sharedRatio(tokens: readonly Pick<PolicyToken, 'logProb' | 'oldLogProb'>[]): number {
  const sum = tokens.reduce((total, { logProb, oldLogProb }) => total + logProb - oldLogProb, 0);
  return exp(sum / tokens.length);
}

/** k1 = logp - ref: unbiased for KL(policy || reference), noisy, of either sign. */
export function klK1(logProb: number, referenceLogProb: number): Term {
  return { value: logProb - referenceLogProb, derivative: 1 };
}

/** k3 = exp(ref - logp) - (ref - logp) - 1: unbiased too, never negative. Derivative by logp. */
export function klK3(logProb: number, referenceLogProb: number): Term {
  const difference = referenceLogProb - logProb;
  // expm1 keeps the digits of small differences, where k3 is about difference^2 / 2.
  return { value: expm1(difference) - difference, derivative: -expm1(difference) };
}

/** The clipped surrogate of a token, to be maximised. */
export interface Surrogate extends Term {
  /** The clip is active from below (A < 0) or from above (A > 0); the derivative is 0 then. */
  readonly clippedLow: boolean;
  readonly clippedHigh: boolean;
}

/**
 * min(ratio A, clip(ratio, 1 - clipLow, 1 + clipHigh) A). Derivative by logp, through ratio = exp(logp - old). If n
 * tokens share a ratio, a logp moves each of their n surrogates by ratio A / n: by ratio A in all, if they share A too.
 * If they don't, the derivative is that of GSPO-token: there a logp moves only the surrogate of the token to which it
 * belongs.
 */
export function clippedSurrogate(ratio: number, A: number, clipLow: number, clipHigh: number): Surrogate {
  const clippedLow = ratio < 1 - clipLow && A < 0;
  const clippedHigh = ratio > 1 + clipHigh && A > 0;
  const clipped = Math.min(Math.max(ratio, 1 - clipLow), 1 + clipHigh);
  const value = Math.min(ratio * A, clipped * A);
  return { value, derivative: clippedLow || clippedHigh ? 0 : ratio * A, clippedLow, clippedHigh };
}

/** 0.5 max((V - R)^2, (Vclip - R)^2), Vclip = oldV + clip(V - oldV, +-valueClip). Derivative by V. */
export function valueLoss({ value: V, oldValue, return: R }: CriticToken, valueClip: number): Term {
  const Vclip = oldValue + Math.min(Math.max(V - oldValue, -valueClip), valueClip);
  const plain = square(V - R);
  const clipped = square(Vclip - R);
  // The clipped square is larger only if V left the interval, and there Vclip does not move with V. Inside the interval
  // both are the same except for rounding, which must not decide.
  const inside = Math.abs(V - oldValue) <= valueClip;
  return { value: 0.5 * Math.max(plain, clipped), derivative: inside || plain >= clipped ? V - R : 0 };
}

/** The loss of one policy token, what it is made of, and its derivatives by the network's outputs. */
export interface TokenLoss {
  /** -surrogate + klCoef k3 - entropyCoef H + valueCoef valueLoss, to be minimised. */
  readonly loss: number;
  readonly ratio: number;
  readonly surrogate: number;
  /** KL to the frozen reference, k1 and k3. */
  readonly klReferenceK1: number;
  readonly klReference: number;
  /** KL to the policy that sampled, old - new and its k3 form, as the metrics report it. */
  readonly klOld: number;
  readonly klOldK3: number;
  readonly valueLoss: number;
  readonly clippedLow: boolean;
  readonly clippedHigh: boolean;
  readonly dLogProb: number;
  readonly dEntropy: number;
  readonly dValue: number;
}

/**
 * The objective at one policy token; multiply by the token's weight (tokenWeights) to get its share of the loss.
 * @param ratio its own, or the one that it shares (sharedRatio)
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
  // Without the penalty its terms are left out altogether: 0 times an overflow is NaN.
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
 * The weight of a policy token of each sequence in the loss; over all policy tokens the weights sum to 1. Sequences
 * without policy tokens do not count in the mean over sequences.
 * @param policyTokens [sequences]: number of policy tokens of each
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
