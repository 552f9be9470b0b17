import { OutOfMemoryError } from '../errors.ts';
import type { Kernels } from './kernels.ts';

/** Bytes that an address is a multiple of: a cache line. */
const LINE = 64;

/** Lays out the memory of the kernels. Views change when the memory grows, so they are read again after every `allocate`. */
export class Arena {
  f32: Float32Array<ArrayBuffer>;
  i32: Int32Array<ArrayBuffer>;
  /** Address 0 represents an absent value in calls of kernels. */
  private top = LINE;
  private readonly free = new Map<number, number[]>();

  constructor(readonly kernels: Kernels) {
    const { buffer } = kernels.memory;
    this.f32 = new Float32Array(buffer as ArrayBuffer);
    this.i32 = new Int32Array(buffer as ArrayBuffer);
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.top;
  }

  /**
   * Address of so many length, all 0.
   * @throws {OutOfMemoryError} if the memory cannot grow; everything that is allocated stays as it is
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

  /** Releases what `allocate` returned, for another allocation of the same size. */
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
