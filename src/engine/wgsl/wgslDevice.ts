import type { Gpu } from '../../gpu/device.ts';
import { Objective } from '../../objective/objective.ts';
import { policyKernels } from '../../policy/kernels.ts';
import { matrixTiles } from '../../policy/matrixCheck.ts';
import { standardPolicy } from '../../policy/policyConfiguration.ts';
import type { EngineDevice, EngineOptions } from '../engine.ts';
import { WGSL } from '../engineName.ts';
import { OutOfMemoryError } from '../errors.ts';
import { WgslEngine } from './wgslEngine.ts';

/** WebGPU device on which engines run. */
export class WgslDevice implements EngineDevice {
  readonly engine = WGSL;
  readonly name: string;
  readonly software: boolean;
  readonly lost: Promise<string>;

  constructor(readonly gpu: Gpu) {
    this.name = gpu.name;
    this.software = gpu.software;
    this.lost = gpu.lost.then(({ message, reason }) => message || reason);
  }

  createEngine(options: EngineOptions): Promise<WgslEngine> {
    return WgslEngine.create(this, this.gpu, options);
  }

  async compileAhead(): Promise<void> {
    // No kernel has vocabulary or context as a constant.
    const kernels = policyKernels(this.gpu, standardPolicy(1, 1), matrixTiles(this.gpu));
    await Promise.all([kernels, Objective.create(this.gpu)]);
  }

  async allocate<Result extends { destroy(): void }>(work: () => Promise<Result>): Promise<Result> {
    const { device } = this.gpu;
    device.pushErrorScope('out-of-memory');
    let result: Result;
    try {
      result = await work();
    } catch (error) {
      await device.popErrorScope();
      throw error;
    }
    const short = await device.popErrorScope();
    if (!short) return result;
    result.destroy();
    throw new OutOfMemoryError(short.message);
  }

  readError(): string | undefined {
    return this.gpu.readError();
  }

  destroy(): void {
    this.gpu.device.destroy();
  }
}
