import { integerPower } from '../../numbers/exponential.ts';
import type { AdamWStep } from '../../policy/optimizer.ts';
import type { Parameters } from './parameters.ts';
import type { Arena } from './space.ts';

/** Shared state of the optimizers of a run, which all stop at the first number that is not finite. */
export interface Health {
  finite: boolean;
}

/** Gradient and AdamW of one network. It takes no steps after a number that is not finite. */
export class Learner {
  /** Address of the gradient, in the layout of the parameters. */
  readonly gradient: number;
  /** Number of completed steps, for the bias correction. */
  steps = 0;
  private readonly first: number;
  private readonly second: number;

  constructor(
    private readonly arena: Arena,
    private readonly parameters: Parameters,
    private readonly health: Health,
  ) {
    const { size } = parameters.layout;
    this.gradient = arena.allocate(size);
    this.first = arena.allocate(size);
    this.second = arena.allocate(size);
  }

  /** Sets the gradient to 0. */
  begin(): void {
    this.arena.kernels.clear(this.gradient, 4 * this.parameters.layout.size);
  }

  /**
   * Clips by the global norm and takes a step. Parameters remain unchanged if the norm or the loss is not finite.
   * @param loss of the minibatch
   * @returns the norm before clipping
   */
  step(step: AdamWStep, loss: number): number {
    const { parameters, arena, health } = this;
    const { tensors, size } = parameters.layout;
    const norm = Math.sqrt(arena.kernels.squares(this.gradient, size));
    health.finite &&= Number.isFinite(norm) && Number.isFinite(loss);
    if (!health.finite) return norm;
    this.steps++;
    const clip = Math.min(1, step.clipNorm / (norm + 1e-6));
    if (step.weightDecay === 0) this.move(step, clip, 0, size, 0);
    else {
      for (const { offset, size: length, shape } of tensors) {
        this.move(step, clip, offset, length, shape.length === 2 ? step.weightDecay : 0);
      }
    }
    parameters.changed();
    return norm;
  }

  /** Sets the moments and the step count to 0. */
  reset(): void {
    const { size } = this.parameters.layout;
    this.arena.kernels.clear(this.first, 4 * size);
    this.arena.kernels.clear(this.second, 4 * size);
    this.steps = 0;
  }

  write(firstMoment: Float32Array, secondMoment: Float32Array, steps: number): void {
    const { size } = this.parameters.layout;
    this.arena.write(this.first, firstMoment.subarray(0, size));
    this.arena.write(this.second, secondMoment.subarray(0, size));
    this.steps = steps;
  }

  read() {
    const { size } = this.parameters.layout;
    const [firstMoment, secondMoment] = [this.arena.read(this.first, size), this.arena.read(this.second, size)];
    return { firstMoment, secondMoment, steps: this.steps };
  }

  readGradient(): Float32Array<ArrayBuffer> {
    return this.arena.read(this.gradient, this.parameters.layout.size);
  }

  destroy(): void {
    const { size } = this.parameters.layout;
    for (const address of [this.gradient, this.first, this.second]) this.arena.release(address, size);
  }

  private move(step: AdamWStep, clip: number, offset: number, size: number, decay: number): void {
    const { learningRate, beta1, beta2, epsilon } = step;
    const [p, g, m, v] = [this.parameters.flat, this.gradient, this.first, this.second].map((at) => at + 4 * offset);
    const corrections = [1 - integerPower(beta1, this.steps), 1 - integerPower(beta2, this.steps)] as const;
    this.arena.kernels.adamw(p, g, m, v, size, clip, learningRate, beta1, beta2, epsilon, decay, ...corrections);
  }
}
