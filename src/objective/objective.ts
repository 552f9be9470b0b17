import type { Gpu } from '../gpu/device.ts';
import type { Kernel } from '../gpu/kernel.ts';
import type { Recorder } from '../gpu/recorder.ts';
import { exp, log1p, square } from '../numbers/exponential.ts';
import type { ObjectiveWeights, Term } from './surrogate.ts';

/** Targets over which a loss runs, and the position of their count on the GPU. */
export interface LossExtent {
  readonly targetBase: number;
  /** Index of the target count in `counts`. */
  readonly countIndex: number;
  readonly limit: number;
}

/** Buffers that a loss reads and writes. The files in shaders/objective declare their shapes. */
export interface LossBuffers {
  readonly counts: GPUBuffer;
  readonly targets: GPUBuffer;
  readonly weights: GPUBuffer;
  readonly sharers: GPUBuffer;
  readonly distribution: GPUBuffer;
  readonly recorded: GPUBuffer;
  readonly lossGradient: GPUBuffer;
  readonly terms: GPUBuffer;
}

/** Number of 32-bit words of one line of an update's report (shaders/objective/report.wgsl). */
export const REPORT_LINE_SIZE = 16;

/** Line of an update's report. Fields are sums over its targets, except `loss`. */
export interface ReportLine {
  /** Weighted mean that the objective defines, not a sum. */
  readonly loss: number;
  readonly gradientNorm: number;
  readonly targets: number;
  readonly entropy: number;
  readonly klOld: number;
  readonly klOldK3: number;
  readonly klReferenceK1: number;
  readonly klReferenceK3: number;
  readonly clipLow: number;
  readonly clipHigh: number;
}

/** Reads a line of a report. @param line index of the line */
export function reportLine(report: Float32Array, line: number): ReportLine {
  const [loss, gradientNorm, targets, entropy, klOld, klOldK3, klReferenceK1, klReferenceK3, clipLow, clipHigh] =
    report.subarray(line * REPORT_LINE_SIZE, line * REPORT_LINE_SIZE + 10);
  return { loss, gradientNorm, targets, entropy, klOld, klOldK3, klReferenceK1, klReferenceK3, clipLow, clipHigh };
}

/** Line of an update's report that receives the sums of a loss. */
export interface ReportSlot {
  readonly report: GPUBuffer;
  readonly line: number;
}

/** Inputs of the clipped surrogate of a minibatch. */
export interface SurrogateLoss {
  readonly buffers: LossBuffers;
  /** Advantages, one per turn or per policy token, indexed by the credits of the targets. */
  readonly advantage: GPUBuffer;
  readonly extent: LossExtent;
  readonly weights: ObjectiveWeights;
  /** True if targets share ratios as `sharers` defines. Otherwise each target has a separate ratio. */
  readonly shared?: boolean;
}

/** Kernel that sums the terms of a loss into a line of a report. */
export type ReportKernel = Kernel<'objective/report'>;

/**
 * Losses of the policy. Each has a dispatch over the targets, and a dispatch that sums their terms into a line of the
 * report.
 */
export class Objective {
  private constructor(
    private readonly ratioKernel: Kernel<'objective/share_ratios'>,
    private readonly surrogateKernel: Kernel<'objective/clipped_surrogate'>,
    private readonly crossEntropyKernel: Kernel<'objective/cross_entropy'>,
    private readonly referenceKernel: Kernel<'objective/record_reference'>,
    private readonly reportKernel: ReportKernel,
  ) {}

  static async create(gpu: Gpu): Promise<Objective> {
    const { kernels } = gpu;
    const compiled = await Promise.all([
      kernels.get('objective/share_ratios'),
      kernels.get('objective/clipped_surrogate'),
      kernels.get('objective/cross_entropy'),
      kernels.get('objective/record_reference'),
      kernels.get('objective/report'),
    ]);
    return new Objective(...compiled);
  }

  /** Records clipped surrogate, KL, entropy and value loss. */
  recordSurrogate(recorder: Recorder, loss: SurrogateLoss, slot: ReportSlot): void {
    const { buffers, advantage, extent, weights: settings, shared = false } = loss;
    const { targetBase, countIndex } = extent;
    const { clipLow, clipHigh, klCoef, entropyCoef, valueCoef, valueClip } = settings;
    const { counts, targets, weights, sharers, distribution, recorded, lossGradient, terms } = buffers;
    if (shared) {
      const bindings = { counts, targets, sharers, distribution, recorded, lossGradient };
      recorder.dispatch(this.ratioKernel, bindings, { targetBase, countIndex }, { invocations: [extent.limit] });
    }
    recorder.dispatch(
      this.surrogateKernel,
      { counts, targets, weights, distribution, recorded, advantage, lossGradient, terms },
      {
        targetBase,
        countIndex,
        clipLow,
        clipHigh,
        klCoef,
        entropyCoef,
        valueCoef,
        valueClip,
        sharedRatios: Number(shared),
      },
      { invocations: [extent.limit] },
    );
    recordSums(recorder, this.reportKernel, buffers, extent, slot);
  }

  /** Records the weighted cross-entropy of supervised warm starts. */
  recordCrossEntropy(recorder: Recorder, buffers: LossBuffers, extent: LossExtent, slot: ReportSlot): void {
    const { targetBase, countIndex } = extent;
    const { counts, weights, distribution, lossGradient, terms } = buffers;
    const bindings = { counts, weights, distribution, lossGradient, terms };
    recorder.dispatch(this.crossEntropyKernel, bindings, { targetBase, countIndex }, { invocations: [extent.limit] });
    recordSums(recorder, this.reportKernel, buffers, extent, slot);
  }

  /** Stores the reference's log-probabilities and reports KL(policy || reference) on the sampled tokens. */
  recordReference(recorder: Recorder, buffers: LossBuffers, extent: LossExtent, slot: ReportSlot): void {
    const { targetBase, countIndex } = extent;
    const { counts, targets, distribution, recorded, terms } = buffers;
    const bindings = { counts, targets, distribution, recorded, terms };
    recorder.dispatch(this.referenceKernel, bindings, { targetBase, countIndex }, { invocations: [extent.limit] });
    recordSums(recorder, this.reportKernel, buffers, extent, slot);
  }
}

/** Records the sum of the terms of a loss, in order, into a line of the report. */
function recordSums(
  recorder: Recorder,
  kernel: ReportKernel,
  { counts, terms }: Pick<LossBuffers, 'counts' | 'terms'>,
  { countIndex }: LossExtent,
  { report, line }: ReportSlot,
): void {
  recorder.dispatch(kernel, { counts, terms, report }, { countIndex, reportOffset: line * REPORT_LINE_SIZE }, [1]);
}

/** Arrays over the policy tokens of a batch. */
export interface TokenBuffers {
  readonly tokenValue: GPUBuffer;
  readonly tokenAdvantage: GPUBuffer;
  readonly tokenReturn: GPUBuffer;
}

/** Inputs of the loss of a critic on a minibatch. */
export interface ValueLoss {
  readonly buffers: LossBuffers;
  readonly tokens: TokenBuffers;
  readonly extent: LossExtent;
  /** Maximum distance of a value from its value at sampling; Infinity without a limit. */
  readonly valueClip: number;
}

/** Line of a report that `recordNormalization` writes. */
export interface TokenLine {
  readonly tokens: number;
  /** Share of the returns' variance that the critic explains, at most 1; null if all returns are equal. */
  readonly explainedVariance: number | null;
}

/** Reads a line of a report that `recordNormalization` has written. @param line index of the line */
export function tokenLine(report: Float32Array, line: number): TokenLine {
  const [tokens, advantageVariance, returnVariance] = report.subarray(line * REPORT_LINE_SIZE);
  return { tokens, explainedVariance: explainedVariance(advantageVariance, returnVariance) };
}

/**
 * Kernels that a critic requires in addition to its passes. They store its values for the credit, normalise advantages,
 * and compute its loss.
 */
export class ValueObjective {
  private constructor(
    private readonly recordKernel: Kernel<'objective/record_values'>,
    private readonly lossKernel: Kernel<'objective/value_loss'>,
    private readonly normalizeKernel: Kernel<'objective/normalize_tokens'>,
    private readonly reportKernel: ReportKernel,
  ) {}

  static async create(gpu: Gpu): Promise<ValueObjective> {
    const { kernels } = gpu;
    const compiled = await Promise.all([
      kernels.get('objective/record_values'),
      kernels.get('objective/value_loss'),
      kernels.get('objective/normalize_tokens'),
      kernels.get('objective/report'),
    ]);
    return new ValueObjective(...compiled);
  }

  /** Records the copy of the targets' values to `tokenValue`. */
  recordValues(recorder: Recorder, buffers: LossBuffers, tokenValue: GPUBuffer, extent: LossExtent): void {
    const { counts, targets, distribution } = buffers;
    const { targetBase, countIndex } = extent;
    const bindings = { counts, targets, distribution, tokenValue };
    recorder.dispatch(this.recordKernel, bindings, { targetBase, countIndex }, { invocations: [extent.limit] });
  }

  /**
   * Records the normalisation of the batch's token advantages in place, and reports the explained variance of the
   * critic.
   */
  recordNormalization(recorder: Recorder, tokens: TokenBuffers, count: number, { report, line }: ReportSlot): void {
    const { tokenAdvantage, tokenReturn } = tokens;
    recorder.dispatch(
      this.normalizeKernel,
      { tokenAdvantage, tokenReturn, report },
      { count, epsilon: TOKEN_EPSILON, reportOffset: line * REPORT_LINE_SIZE },
      [1],
    );
  }

  /** Records the clipped value loss and its derivatives. The line of the report receives the weighted loss. */
  recordLoss(recorder: Recorder, { buffers, tokens, extent, valueClip }: ValueLoss, slot: ReportSlot): void {
    const { counts, targets, weights, distribution, lossGradient, terms } = buffers;
    const { tokenValue, tokenReturn } = tokens;
    const { targetBase, countIndex } = extent;
    recorder.dispatch(
      this.lossKernel,
      { counts, targets, weights, distribution, tokenValue, tokenReturn, lossGradient, terms },
      { targetBase, countIndex, valueClip: Math.min(valueClip, 1e30) },
      { invocations: [extent.limit] },
    );
    recordSums(recorder, this.reportKernel, buffers, extent, slot);
  }
}

/** Computes 1 / (1 + exp(-x)) without overflow. */
export function sigmoid(x: number): number {
  const small = exp(-Math.abs(x));
  return (x > 0 ? 1 : small) / (1 + small);
}

/**
 * Computes the loss of one pair under the model of Bradley and Terry (1952): -log sigmoid(better - worse) [nats].
 * Reward models are trained with it (AceCoder, Zeng et al. 2025, arXiv 2502.01718, §2.2). The derivative is by
 * `better`; the derivative by `worse` is its negative. It is the reference implementation of
 * shaders/objective/preference_loss.wgsl.
 * @param better @param worse values of the model for the two sequences
 */
export function preferenceLoss(better: number, worse: number): Term {
  const margin = better - worse;
  return { value: Math.max(-margin, 0) + log1p(exp(-Math.abs(margin))), derivative: -sigmoid(-margin) };
}

/** Kernels of training on pairs that follow the forward pass of a value network. */
export class PreferenceObjective {
  private constructor(
    private readonly lossKernel: Kernel<'objective/preference_loss'>,
    private readonly reportKernel: ReportKernel,
  ) {}

  static async create({ kernels }: Gpu): Promise<PreferenceObjective> {
    const compiled = await Promise.all([kernels.get('objective/preference_loss'), kernels.get('objective/report')]);
    return new PreferenceObjective(...compiled);
  }

  /**
   * Records the loss and its derivatives. Targets 2 i and 2 i + 1 are the better and the worse sequence of pair i. The
   * line of the report receives the weighted loss; its entropy is the weight of the pairs in the correct order.
   */
  recordLoss(recorder: Recorder, buffers: LossBuffers, extent: LossExtent, slot: ReportSlot): void {
    const { counts, weights, distribution, lossGradient, terms } = buffers;
    const { targetBase, countIndex } = extent;
    const bindings = { counts, weights, distribution, lossGradient, terms };
    recorder.dispatch(this.lossKernel, bindings, { targetBase, countIndex }, { invocations: [extent.limit] });
    recordSums(recorder, this.reportKernel, buffers, extent, slot);
  }
}

/** Constant added to the standard deviation that divides token advantages. */
const TOKEN_EPSILON = 1e-4;

/**
 * Normalises the advantages of all policy tokens of a batch: (A - mean) / (population std + TOKEN_EPSILON). It is the
 * reference implementation of shaders/objective/normalize_tokens.wgsl.
 */
export function normalizeTokens(advantages: ArrayLike<number>): Float64Array {
  const { mean, variance } = moments(advantages);
  return Float64Array.from(advantages, (A) => (A - mean) / (Math.sqrt(variance) + TOKEN_EPSILON));
}

/**
 * Computes the share of the returns' variance that the critic explains: 1 - var(A) / var(R) with A = R - V. It is 1 for
 * exact predictions, 0 for a constant, and below 0 for worse predictions. Returns null if all returns are equal.
 */
export function explainedVariance(advantageVariance: number, returnVariance: number): number | null {
  return returnVariance > 1e-12 ? 1 - advantageVariance / returnVariance : null;
}

/** Computes the mean and the population variance. */
export function moments(values: ArrayLike<number>): { readonly mean: number; readonly variance: number } {
  const all = Array.from(values);
  const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
  return { mean, variance: all.reduce((sum, value) => sum + square(value - mean), 0) / all.length };
}
