import type { Gpu } from '../gpu/device.ts';
import type { Kernel } from '../gpu/kernel.ts';
import type { Recorder } from '../gpu/recorder.ts';
import { exp } from '../numbers/exponential.ts';
import { log1p } from '../numbers/logarithm.ts';
import { type LossBuffers, type LossExtent, type ReportKernel, type ReportSlot, recordSums } from './objective.ts';
import type { Term } from './surrogate.ts';

/** 1 / (1 + exp(-x)), without overflow. */
export function sigmoid(x: number): number {
  const small = exp(-Math.abs(x));
  return (x > 0 ? 1 : small) / (1 + small);
}

/**
 * The loss of one pair under the model of Bradley and Terry (1952), -log sigmoid(better - worse), nats: what reward models
 * are trained with (AceCoder, Zeng et al. 2025, arXiv 2502.01718, §2.2). The derivative is that by `better`; by `worse` it
 * is the opposite. The readable form of shaders/objective/preference_loss.wgsl.
 * @param better @param worse what the model says of the two
 */
export function preferenceLoss(better: number, worse: number): Term {
  const margin = better - worse;
  return { value: Math.max(-margin, 0) + log1p(exp(-Math.abs(margin))), derivative: -sigmoid(-margin) };
}

/** Kernels that training on pairs needs after the forward pass of a value network. */
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
   * Loss and derivatives of pairs: targets 2 i and 2 i + 1 are the better and the worse one of pair i. The weighted loss
   * goes to a line of the report, and as its entropy the weight of the pairs that are in the right order.
   */
  recordLoss(recorder: Recorder, buffers: LossBuffers, extent: LossExtent, slot: ReportSlot): void {
    const { counts, weights, distribution, lossGradient, terms } = buffers;
    const { targetBase, countIndex } = extent;
    const bindings = { counts, weights, distribution, lossGradient, terms };
    recorder.dispatch(this.lossKernel, bindings, { targetBase, countIndex }, { invocations: [extent.limit] });
    recordSums(recorder, this.reportKernel, buffers, extent, slot);
  }
}
