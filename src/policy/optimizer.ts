import type { BufferSet } from '../gpu/buffers.ts';
import { covering } from '../gpu/kernel.ts';
import type { Recorder } from '../gpu/recorder.ts';
import { integerPower } from '../numbers/exponential.ts';
import type { PolicyKernels } from './kernels.ts';
import type { ParameterLayout } from './weights.ts';
import type { NetworkSpace } from './workspace.ts';

/** Settings of one optimiser step. */
export interface AdamWStep {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  /** Maximum global norm of the gradient; a larger gradient is scaled to it. */
  readonly clipNorm: number;
}

/** Settings of AdamW in the Search environment: betas 0.9 and 0.99, no decay, clip norm 1. */
export const ADAMW: AdamWStep = {
  learningRate: 1e-4,
  beta1: 0.9,
  beta2: 0.99,
  epsilon: 1e-8,
  weightDecay: 0,
  clipNorm: 1,
};

/**
 * AdamW with global-norm clipping over a flat parameter buffer. It takes no steps after a number that is not finite.
 */
export class Optimizer {
  readonly gradient: GPUBuffer;
  readonly firstMoment: GPUBuffer;
  readonly secondMoment: GPUBuffer;
  /** Buffer whose word 0 is not 0 after a loss or gradient that was not finite. */
  readonly health: GPUBuffer;
  /** Number of completed steps, for the bias correction. */
  steps = 0;
  private readonly norm: GPUBuffer;
  private readonly squares: GPUBuffer;
  private readonly decayed: GPUBuffer;

  /**
   * @param health of another optimiser of the same run, so that both stop at the first number that is not finite
   * @param name of the network, for the labels of buffers
   */
  constructor(
    private readonly buffers: BufferSet,
    private readonly workspace: NetworkSpace,
    private readonly kernels: PolicyKernels,
    health?: GPUBuffer,
    name = 'policy',
  ) {
    const { layout } = workspace;
    const storage = (label: string, elements: number) => buffers.storage(`${name} ${label}`, elements);
    this.gradient = storage('gradient', layout.size);
    this.firstMoment = storage('first moment', layout.size);
    this.secondMoment = storage('second moment', layout.size);
    this.health = health ?? storage('health', 1);
    this.norm = storage('gradient norm', 2);
    this.squares = storage('squares', this.groups);
    this.decayed = storage('weight decay', layout.size / 4);
    buffers.device.queue.writeBuffer(this.decayed, 0, decayMask(layout));
  }

  /**
   * Records a step: the sum of the chunks of `workspace.partial`, the clip, and the update.
   * @param report metrics buffer with the loss at `reportOffset`; the norm is written after it
   */
  record(recorder: Recorder, parameters: GPUBuffer, step: AdamWStep, report: GPUBuffer, reportOffset: number): void {
    const { workspace, kernels, gradient, squares, norm, health } = this;
    const parameters4 = workspace.layout.size / 4;
    this.recordSum(recorder);
    recorder.dispatch(
      kernels.gradientNorm,
      { squares, norm, health, report },
      { squareCount: this.groups, reportOffset, clipNorm: step.clipNorm },
      [1],
    );
    const { steps } = this;
    recorder.whenDiscarded(() => {
      this.steps = steps;
    });
    this.steps++;
    const { firstMoment, secondMoment, decayed } = this;
    recorder.dispatch(
      kernels.adamw,
      { gradient, norm, health, decayed, firstMoment, secondMoment, parameters },
      {
        parameters4,
        learningRate: step.learningRate,
        beta1: step.beta1,
        beta2: step.beta2,
        epsilon: step.epsilon,
        weightDecay: step.weightDecay,
        correction1: 1 - integerPower(step.beta1, this.steps),
        correction2: 1 - integerPower(step.beta2, this.steps),
      },
      { invocations: [parameters4] },
    );
  }

  /** Sets the moments and the number of steps to 0. */
  reset(): void {
    const zeros = new Float32Array(this.workspace.layout.size);
    for (const moment of [this.firstMoment, this.secondMoment]) this.buffers.device.queue.writeBuffer(moment, 0, zeros);
    this.steps = 0;
  }

  /** Number of workgroups of `reduceGradients`. Each writes a partial sum of squares. */
  private get groups(): number {
    return covering(this.kernels.reduceGradients, this.workspace.layout.size / 4)[0];
  }

  /** Records only the sum: `gradient` becomes the sum of the chunks of `workspace.partial`. */
  recordSum(recorder: Recorder): void {
    const { workspace, kernels, gradient, squares } = this;
    const parameters4 = workspace.layout.size / 4;
    recorder.dispatch(
      kernels.reduceGradients,
      { partial: workspace.partial, gradient, squares },
      { parameters4, chunks: workspace.chunks },
      { invocations: [parameters4] },
    );
  }
}

/** Returns 1 for every four parameters of a matrix, 0 for parameters of a vector. */
function decayMask(layout: ParameterLayout): Float32Array<ArrayBuffer> {
  const mask = new Float32Array(layout.size / 4);
  for (const { shape, offset, size } of layout.tensors) {
    if (shape.length === 2) mask.fill(1, offset / 4, (offset + size) / 4);
  }
  return mask;
}
