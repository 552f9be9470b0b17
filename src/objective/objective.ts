import type { Gpu } from '../gpu/device.ts';
import type { Kernel } from '../gpu/kernel.ts';
import type { Recorder } from '../gpu/recorder.ts';
import type { ObjectiveWeights } from './surrogate.ts';

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
export function recordSums(
  recorder: Recorder,
  kernel: ReportKernel,
  { counts, terms }: Pick<LossBuffers, 'counts' | 'terms'>,
  { countIndex }: LossExtent,
  { report, line }: ReportSlot,
): void {
  recorder.dispatch(kernel, { counts, terms, report }, { countIndex, reportOffset: line * REPORT_LINE_SIZE }, [1]);
}
