import type { Gpu } from '../gpu/device.ts';
import type { Kernel } from '../gpu/kernel.ts';
import type { Recorder } from '../gpu/recorder.ts';
import { exp } from '../numbers/exponential.ts';
import { log1p } from '../numbers/logarithm.ts';
import { type LossBuffers, type LossExtent, type ReportKernel, type ReportSlot, recordSums } from './objective.ts';
import type { Term } from './surrogate.ts';

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
