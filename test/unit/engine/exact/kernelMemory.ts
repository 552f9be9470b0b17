import { readFile } from 'node:fs/promises';
import { compiledKernels } from '../../../../src/engine/exact/compile.ts';
import { instantiate, type Kernels } from '../../../../src/engine/exact/kernels.ts';
import { CounterRandom } from '../../../../src/random/counter.ts';

/** Writes and reads numbers in the memory of the kernels, and draws random test data. */
export class KernelMemory {
  private top = 65536;
  private readonly random = new CounterRandom(35, 0);

  private constructor(readonly kernels: Kernels) {
    kernels.memory.grow(64);
  }

  static async open(): Promise<KernelMemory> {
    return new KernelMemory(await instantiate(await WebAssembly.compile(await readFile(await compiledKernels()))));
  }

  /** Copies values and returns the address. NaN padding after the copy reveals reads beyond its end. */
  put(values: ArrayLike<number>): number {
    const at = this.allocate(values.length + 16);
    new Float32Array(this.kernels.memory.buffer, at, values.length + 16).fill(NaN).set(values);
    return at;
  }

  putIntegers(values: readonly number[]): number {
    const at = this.allocate(values.length + 16);
    new Int32Array(this.kernels.memory.buffer, at, values.length).set(values);
    return at;
  }

  zeros(count: number): number {
    return this.put(new Float32Array(count));
  }

  read(at: number, count: number): number[] {
    return Array.from(new Float32Array(this.kernels.memory.buffer, at, count));
  }

  readIntegers(at: number, count: number): number[] {
    return Array.from(new Int32Array(this.kernels.memory.buffer, at, count));
  }

  /** Draws normally distributed float32 numbers with standard deviation `scale`. */
  normal(count: number, scale = 1): number[] {
    return Array.from({ length: count }, () => Math.fround(scale * this.random.normal()));
  }

  private allocate(length: number): number {
    const at = this.top;
    this.top += 4 * Math.ceil(length / 4) * 4;
    return at;
  }
}
