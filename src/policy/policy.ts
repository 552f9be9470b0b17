import { BufferSet, readBuffer } from '../gpu/buffers.ts';
import type { Gpu } from '../gpu/device.ts';
import type { Recorder } from '../gpu/recorder.ts';
import { Backward } from './backward.ts';
import type { Minibatch } from './batch.ts';
import { Critic, type CriticState } from './critic.ts';
import { Forward, sourcesOf } from './forward.ts';
import { matrixTiles, type PolicyKernels, policyKernels } from './kernels.ts';
import { Optimizer } from './optimizer.ts';
import type { ParameterLayout, PolicyConfiguration } from './weights.ts';
import { Workspace, type WorkspaceCapacity } from './workspace.ts';

/** State of a policy and its optimiser on the CPU, as in a checkpoint. Flat, in the order of the layout. */
export interface PolicyState {
  readonly parameters: Float32Array;
  /** Frozen policy from which KL is measured: the warm start. */
  readonly reference: Float32Array;
  readonly firstMoment: Float32Array;
  readonly secondMoment: Float32Array;
  /** Number of completed optimiser steps. */
  readonly steps: number;
  /** State of the critic; absent until a rule requires a critic. */
  readonly critic?: CriticState;
}

/** Policy on the GPU: parameters, frozen reference, activations, optimiser. All buffers are created once. */
export class Policy {
  readonly parameters: GPUBuffer;
  readonly reference: GPUBuffer;
  readonly forward: Forward;
  /** Forward pass without stored activations for a backward pass. */
  readonly inference: Forward;
  readonly backward: Backward;
  readonly optimizer: Optimizer;
  private separateCritic: Critic | undefined;

  private constructor(
    readonly gpu: Gpu,
    readonly config: PolicyConfiguration,
    readonly buffers: BufferSet,
    readonly workspace: Workspace,
    readonly kernels: PolicyKernels,
  ) {
    this.parameters = buffers.storage('parameters', workspace.layout.padded);
    this.reference = buffers.storage('reference parameters', workspace.layout.padded);
    this.forward = new Forward(workspace, kernels, true);
    this.inference = new Forward(workspace, kernels, false);
    this.backward = new Backward(workspace, kernels);
    this.optimizer = new Optimizer(buffers, workspace, kernels);
  }

  static async create(gpu: Gpu, config: PolicyConfiguration, capacity: WorkspaceCapacity): Promise<Policy> {
    const kernels = await policyKernels(gpu, config, matrixTiles(gpu));
    const buffers = new BufferSet(gpu.device);
    return new Policy(gpu, config, buffers, new Workspace(gpu, buffers, config, capacity), kernels);
  }

  get layout(): ParameterLayout {
    return this.workspace.layout;
  }

  /** Records the forward pass of a packed minibatch and the distribution at its targets. */
  recordForward(recorder: Recorder, minibatch: Minibatch, parameters: GPUBuffer = this.parameters): void {
    const [rows, targets] = sourcesOf(this.workspace.batch, minibatch);
    this.forward.record(recorder, parameters, rows, targets);
    this.forward.recordDistribution(recorder, parameters, targets);
  }

  /** Critic; undefined until a rule requires it. */
  get critic(): Critic | undefined {
    return this.separateCritic;
  }

  /**
   * Returns the critic. Until its first training step, it starts from the current trunk of the policy.
   * @param seed of its value head
   */
  openCritic(seed: number): Critic {
    const critic = this.createCritic();
    if (critic.optimizer.steps === 0) critic.start(this.parameters, seed);
    return critic;
  }

  /** Uploads parameters as policy and reference, and sets the optimiser's moments to 0. */
  start(parameters: Float32Array): void {
    const zeros = new Float32Array(this.layout.size);
    this.writeState({ parameters, reference: parameters, firstMoment: zeros, secondMoment: zeros, steps: 0 });
  }

  writeState(state: PolicyState): void {
    const { queue } = this.gpu.device;
    const write = (buffer: GPUBuffer, values: Float32Array) =>
      queue.writeBuffer(buffer, 0, values.buffer as ArrayBuffer, values.byteOffset, this.layout.size * 4);
    write(this.parameters, state.parameters);
    write(this.reference, state.reference);
    write(this.optimizer.firstMoment, state.firstMoment);
    write(this.optimizer.secondMoment, state.secondMoment);
    queue.writeBuffer(this.optimizer.health, 0, new Uint32Array(1));
    this.optimizer.steps = state.steps;
    if (state.critic) this.createCritic().writeState(state.critic);
    else this.dropCritic();
  }

  /** Reads the complete state. The caller waits for the GPU. */
  async readState(): Promise<PolicyState> {
    const read = async (buffer: GPUBuffer) =>
      new Float32Array(await readBuffer(this.gpu.device, buffer, this.layout.size));
    const { steps, firstMoment, secondMoment } = this.optimizer;
    const [parameters, reference, first, second] = await Promise.all(
      [this.parameters, this.reference, firstMoment, secondMoment].map(read),
    );
    const state = { parameters, reference, firstMoment: first, secondMoment: second, steps };
    return this.separateCritic ? { ...state, critic: await this.separateCritic.readState() } : state;
  }

  destroy(): void {
    this.dropCritic();
    this.buffers.destroy();
  }

  /** Returns the critic. Its buffers are created once, for the first rule that requires it. */
  private createCritic(): Critic {
    this.separateCritic ??= new Critic(this.gpu, this.workspace, this.kernels, this.optimizer.health);
    return this.separateCritic;
  }

  private dropCritic(): void {
    this.separateCritic?.destroy();
    this.separateCritic = undefined;
  }
}
