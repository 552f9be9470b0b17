import { BufferSet, readBuffer } from '../gpu/buffers.ts';
import type { Gpu } from '../gpu/device.ts';
import type { Recorder } from '../gpu/recorder.ts';
import { Backward } from './backward.ts';
import type { Minibatch } from './batch.ts';
import { Forward, sourcesOf } from './forward.ts';
import type { PolicyKernels } from './kernels.ts';
import { type AdamWStep, Optimizer } from './optimizer.ts';
import { initialParameters, type ParameterLayout } from './weights.ts';
import type { NetworkSpace, Workspace } from './workspace.ts';

/**
 * Transformer of the policy's shape with a value head in place of the logits. It has separate parameters and uses the
 * policy's buffers. A pass of this network must not overlap a pass of the policy.
 */
export class ValueNetwork {
  readonly parameters: GPUBuffer;
  protected readonly buffers: BufferSet;
  protected readonly workspace: NetworkSpace;
  private readonly inference: Forward;

  /** @param name for the labels of buffers */
  constructor(
    protected readonly gpu: Gpu,
    policy: Workspace,
    kernels: PolicyKernels,
    name: string,
  ) {
    this.workspace = policy.withValueHead();
    this.buffers = new BufferSet(gpu.device);
    this.parameters = this.buffers.storage(`${name} parameters`, this.layout.padded);
    this.inference = new Forward(this.workspace, kernels, false);
  }

  get layout(): ParameterLayout {
    return this.workspace.layout;
  }

  /** Uploads parameters, flat, in the order of the layout. */
  load(parameters: Float32Array): void {
    this.write(this.parameters, parameters);
  }

  /** Records the values of a minibatch's targets into `workspace.distribution`, without activations for training. */
  recordValues(recorder: Recorder, minibatch: Minibatch): void {
    this.recordForward(recorder, minibatch, this.inference);
  }

  destroy(): void {
    this.buffers.destroy();
  }

  protected write(buffer: GPUBuffer, values: Float32Array): void {
    const { buffer: bytes, byteOffset } = values;
    this.gpu.device.queue.writeBuffer(buffer, 0, bytes as ArrayBuffer, byteOffset, this.layout.size * 4);
  }

  protected recordForward(recorder: Recorder, minibatch: Minibatch, forward: Forward): void {
    const [rows, targets] = sourcesOf(this.workspace.batch, minibatch);
    forward.recordValues(recorder, this.parameters, rows, targets);
  }
}

/** State of a critic and its optimiser on the CPU, flat, in the order of its layout. */
export interface CriticState {
  readonly parameters: Float32Array;
  readonly firstMoment: Float32Array;
  readonly secondMoment: Float32Array;
  /** Number of completed optimiser steps. */
  readonly steps: number;
  /** Credit rule of the most recent update. */
  readonly rule: string;
  /** Number of consecutive updates under this rule. */
  readonly updates: number;
}

/** Inputs of one optimiser step of a critic. */
export interface CriticStep {
  /** Records the loss, between the passes. It writes the derivatives by value to `workspace.lossGradient`. */
  readonly loss: () => void;
  readonly step: AdamWStep;
  /** Buffer with the loss at `reportOffset`. The norm of the gradient is written after it. */
  readonly report: GPUBuffer;
  readonly reportOffset: number;
}

/**
 * Critic: a trained value network with a separate optimiser. Before each token it predicts the reward of the rest of
 * the rollout.
 */
export class Critic extends ValueNetwork {
  readonly optimizer: Optimizer;
  private readonly forward: Forward;
  private readonly backward: Backward;
  private rule = '';
  private learnedUpdates = 0;

  /** @param health of the policy's optimiser: a number that is not finite in either network stops both optimisers */
  constructor(gpu: Gpu, policy: Workspace, kernels: PolicyKernels, health: GPUBuffer) {
    super(gpu, policy, kernels, 'critic');
    this.forward = new Forward(this.workspace, kernels, true);
    this.backward = new Backward(this.workspace, kernels);
    this.optimizer = new Optimizer(this.buffers, this.workspace, kernels, health, 'critic');
  }

  /** Initialises the critic with the trunk of a policy and a new value head, whose values depend only on the seed. */
  start(policy: GPUBuffer, seed: number): void {
    const { device } = this.gpu;
    const { offset, size } = this.layout.at('valueHead');
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(policy, 0, this.parameters, 0, offset * 4);
    const { firstMoment, secondMoment } = this.optimizer;
    for (const moment of [firstMoment, secondMoment]) encoder.clearBuffer(moment);
    device.queue.submit([encoder.finish()]);
    const head = initialParameters(this.workspace.config, seed).slice(offset, offset + size);
    device.queue.writeBuffer(this.parameters, offset * 4, head);
    this.optimizer.steps = 0;
    this.rule = '';
    this.learnedUpdates = 0;
  }

  /**
   * Sets the rule of the next update. A change of the rule resets the count of updates: values that were learned under
   * another rule are no basis for an update of the policy.
   */
  begin(rule: string): void {
    if (rule !== this.rule) this.learnedUpdates = 0;
    this.rule = rule;
  }

  /** Returns the number of consecutive updates, up to the latest, in which the critic was trained under a rule. */
  updatesUnder(rule: string): number {
    return this.optimizer.steps > 0 && rule === this.rule ? this.learnedUpdates : 0;
  }

  /** Counts an update in which the critic was trained. */
  learned(): void {
    this.learnedUpdates++;
  }

  /** Records one optimiser step on a minibatch. */
  recordStep(recorder: Recorder, minibatch: Minibatch, { loss, step, report, reportOffset }: CriticStep): void {
    this.recordForward(recorder, minibatch, this.forward);
    loss();
    this.backward.recordValues(recorder, this.parameters, minibatch);
    this.optimizer.record(recorder, this.parameters, step, report, reportOffset);
  }

  writeState(state: CriticState): void {
    this.load(state.parameters);
    this.write(this.optimizer.firstMoment, state.firstMoment);
    this.write(this.optimizer.secondMoment, state.secondMoment);
    this.optimizer.steps = state.steps;
    this.rule = state.rule;
    this.learnedUpdates = state.updates;
  }

  /** Reads the complete state. The caller waits for the GPU. */
  async readState(): Promise<CriticState> {
    const read = async (buffer: GPUBuffer) =>
      new Float32Array(await readBuffer(this.gpu.device, buffer, this.layout.size));
    const { rule, learnedUpdates: updates } = this;
    const { steps, firstMoment, secondMoment } = this.optimizer;
    const [parameters, first, second] = await Promise.all([this.parameters, firstMoment, secondMoment].map(read));
    return { parameters, firstMoment: first, secondMoment: second, steps, rule, updates };
  }
}
