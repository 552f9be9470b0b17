import { BufferSet } from '../gpu/buffers.ts';
import type { Gpu } from '../gpu/device.ts';
import type { Recorder } from '../gpu/recorder.ts';
import type { Minibatch } from './batch.ts';
import { Forward, sourcesOf } from './forward.ts';
import type { PolicyKernels } from './kernels.ts';
import type { ParameterLayout } from './weights.ts';
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
