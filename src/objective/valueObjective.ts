import type { Gpu } from '../gpu/device.ts';
import type { Kernel } from '../gpu/kernel.ts';
import type { Recorder } from '../gpu/recorder.ts';
import {
  type LossBuffers,
  type LossExtent,
  REPORT_LINE_SIZE,
  type ReportKernel,
  type ReportSlot,
  recordSums,
} from './objective.ts';
import { explainedVariance, TOKEN_EPSILON } from './tokenStatistics.ts';

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
