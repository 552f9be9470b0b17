import { OutOfMemoryError } from '../shared.ts';
import type { Kernels } from './kernels.ts';

/** Alignment of addresses [bytes]: a cache line. */
const LINE = 64;

/**
 * Allocator of the memory of the kernels. Views become invalid when the memory grows, so read them after each
 * `allocate`.
 */
export class Arena {
  f32: Float32Array<ArrayBuffer>;
  i32: Int32Array<ArrayBuffer>;
  /** First free address. Address 0 represents an absent value in calls of kernels. */
  private top = LINE;
  private readonly free = new Map<number, number[]>();

  constructor(readonly kernels: Kernels) {
    const { buffer } = kernels.memory;
    this.f32 = new Float32Array(buffer as ArrayBuffer);
    this.i32 = new Int32Array(buffer as ArrayBuffer);
  }

  /** Memory in use [bytes]. */
  get bytes(): number {
    return this.top;
  }

  /**
   * Allocates memory for 32-bit numbers, all 0.
   * @param length number of 32-bit numbers
   * @returns address [bytes]
   * @throws {OutOfMemoryError} if the memory cannot grow; earlier allocations remain valid
   */
  allocate(length: number): number {
    const bytes = Math.ceil((4 * length) / LINE) * LINE;
    const known = this.free.get(bytes)?.pop();
    if (known !== undefined) {
      this.kernels.clear(known, bytes);
      return known;
    }
    const address = this.top;
    const top = address + bytes;
    const { memory } = this.kernels;
    const missing = top - memory.buffer.byteLength;
    if (missing > 0) {
      try {
        memory.grow(Math.ceil(missing / 65536));
      } catch {
        throw new OutOfMemoryError(`the processor's memory has no room for ${top} bytes of one engine`);
      }
      this.f32 = new Float32Array(memory.buffer as ArrayBuffer);
      this.i32 = new Int32Array(memory.buffer as ArrayBuffer);
    }
    this.top = top;
    return address;
  }

  /** Releases memory of `allocate`. Another allocation of the same size reuses it. */
  release(address: number, length: number): void {
    const bytes = Math.ceil((4 * length) / LINE) * LINE;
    this.free.set(bytes, [...(this.free.get(bytes) ?? []), address]);
  }

  write(address: number, values: Float32Array): void {
    this.f32.set(values, address / 4);
  }

  view(address: number, length: number): Float32Array<ArrayBuffer> {
    return this.f32.subarray(address / 4, address / 4 + length);
  }

  read(address: number, length: number): Float32Array<ArrayBuffer> {
    return this.f32.slice(address / 4, address / 4 + length);
  }
}
