import { preferenceLoss, type ReportLine } from '../../objective/objective.ts';
import {
  klK1,
  klK3,
  type ObjectiveWeights,
  type PolicyToken,
  sharedRatio,
  tokenLoss,
  valueLoss,
} from '../../objective/surrogate.ts';
import type { Piece } from './pieces.ts';
import type { Space } from './space.ts';

// Losses of a piece between its forward and backward pass, in float64. Outputs are read from the space. Slopes are
// rounded to float32 when they are written to it.

/** Mutable sums of a loss; see ReportLine. */
export type Sums = { -readonly [Name in keyof ReportLine]: number };

export function emptySums(): Sums {
  return {
    ...{ loss: 0, gradientNorm: 0, targets: 0, entropy: 0, klOld: 0, klOldK3: 0 },
    ...{ klReferenceK1: 0, klReferenceK3: 0, clipLow: 0, clipHigh: 0 },
  };
}

/** Log-probabilities of tokens [slots] at sampling and under the reference. */
export interface Recorded {
  readonly sampled: Float32Array;
  readonly reference: Float32Array;
}

/** Old values and returns of a critic [policy tokens]. */
export interface ValueTargets {
  readonly values: Float32Array;
  readonly returns: Float32Array;
}

/** Outputs and slopes of the targets of a piece. */
class TargetOutputs {
  private readonly f32: Float32Array;
  private readonly outputs: number;
  private readonly slopes: number;

  constructor({ arena, outputs, slopes }: Space) {
    this.f32 = arena.f32;
    this.outputs = outputs / 4;
    this.slopes = slopes / 4;
  }

  logProb(target: number): number {
    return this.f32[this.outputs + 4 * target + 1];
  }

  entropy(target: number): number {
    return this.f32[this.outputs + 4 * target + 2];
  }

  value(target: number): number {
    return this.f32[this.outputs + 4 * target + 3];
  }

  slope(target: number, logProb: number, entropy: number, value: number): void {
    const at = this.slopes + 4 * target;
    this.f32[at] = logProb;
    this.f32[at + 1] = entropy;
    this.f32[at + 2] = value;
  }
}

/** Saves the log-probabilities of the reference, and measures KL(policy || reference) on the sampled tokens. */
export function recordReference(space: Space, { targets, slots }: Piece, recorded: Recorded, sums: Sums): void {
  const outputs = new TargetOutputs(space);
  for (let i = 0; i < targets; i++) {
    const reference = outputs.logProb(i);
    const sampled = recorded.sampled[slots[i]];
    recorded.reference[slots[i]] = reference;
    sums.targets++;
    sums.entropy += outputs.entropy(i);
    sums.klReferenceK1 += klK1(sampled, reference).value;
    sums.klReferenceK3 += klK3(sampled, reference).value;
  }
}

/**
 * Computes clipped surrogate, KL and entropy, and the value loss if the policy has a value head.
 * @param advantage indexed by the credits of the targets
 * @param shared true if targets share ratios
 * @param critic indexed by the slots of the targets, for a policy with a value head
 */
export function surrogateLoss(
  space: Space,
  piece: Piece,
  recorded: Recorded,
  advantage: ArrayLike<number>,
  weights: ObjectiveWeights,
  shared: boolean,
  sums: Sums,
  critic?: ValueTargets,
): void {
  const outputs = new TargetOutputs(space);
  const { targets, slots, credits, sharers } = piece;
  let ratio: number | undefined;
  for (let i = 0; i < targets; i++) {
    if (shared && sharers[i] === i) ratio = sharedRatio(sharing(outputs, piece, recorded, i));
    const slot = slots[i];
    const token: PolicyToken = {
      logProb: outputs.logProb(i),
      oldLogProb: recorded.sampled[slot],
      referenceLogProb: recorded.reference[slot],
      advantage: advantage[credits[i]],
      entropy: outputs.entropy(i),
      critic: critic && { value: outputs.value(i), oldValue: critic.values[slot], return: critic.returns[slot] },
    };
    const loss = tokenLoss(token, weights, ratio);
    const weight = piece.weights[i];
    outputs.slope(i, weight * loss.dLogProb, weight * loss.dEntropy, weight * loss.dValue);
    sums.loss += weight * loss.loss;
    sums.targets++;
    sums.entropy += token.entropy;
    sums.klOld += loss.klOld;
    sums.klOldK3 += loss.klOldK3;
    sums.klReferenceK1 += loss.klReferenceK1;
    sums.klReferenceK3 += loss.klReference;
    sums.clipLow += Number(loss.clippedLow);
    sums.clipHigh += Number(loss.clippedHigh);
  }
}

/** Returns the targets that share a ratio. @param first index of the first of these targets */
function sharing(outputs: TargetOutputs, { targets, slots, sharers }: Piece, { sampled }: Recorded, first: number) {
  const all: Pick<PolicyToken, 'logProb' | 'oldLogProb'>[] = [];
  for (let i = first; i < targets && sharers[i] === first; i++) {
    all.push({ logProb: outputs.logProb(i), oldLogProb: sampled[slots[i]] });
  }
  return all;
}

/** Computes the weighted cross-entropy. */
export function crossEntropy(space: Space, { targets, weights }: Piece, sums: Sums): void {
  const outputs = new TargetOutputs(space);
  for (let i = 0; i < targets; i++) {
    outputs.slope(i, -weights[i], 0, 0);
    sums.loss -= weights[i] * outputs.logProb(i);
    sums.targets++;
    sums.entropy += outputs.entropy(i);
  }
}

/** Computes the clipped value loss of a critic, whose values and returns are indexed by the credits of the targets. */
export function criticLoss(
  space: Space,
  { targets, credits, weights }: Piece,
  { values, returns }: ValueTargets,
  valueClip: number,
  sums: Sums,
): void {
  const outputs = new TargetOutputs(space);
  for (let i = 0; i < targets; i++) {
    const at = credits[i];
    const token = { value: outputs.value(i), oldValue: values[at], return: returns[at] };
    const loss = valueLoss(token, valueClip);
    outputs.slope(i, 0, 0, weights[i] * loss.derivative);
    sums.loss += weights[i] * loss.value;
    sums.targets++;
  }
}

/**
 * Computes the Bradley-Terry loss of pairs. Targets 2 i and 2 i + 1 of a piece are the better and the worse sequence.
 * The line's entropy is the weight of the pairs in the correct order, as in shaders/objective/preference_loss.wgsl.
 */
export function pairLoss(space: Space, { targets, weights }: Piece, sums: Sums): void {
  const outputs = new TargetOutputs(space);
  for (let i = 0; i + 1 < targets; i += 2) {
    const [better, worse] = [outputs.value(i), outputs.value(i + 1)];
    const loss = preferenceLoss(better, worse);
    outputs.slope(i, 0, 0, weights[i] * loss.derivative);
    outputs.slope(i + 1, 0, 0, -weights[i] * loss.derivative);
    sums.loss += weights[i] * loss.value;
    sums.targets += 2;
    if (better > worse) sums.entropy += weights[i];
  }
}
