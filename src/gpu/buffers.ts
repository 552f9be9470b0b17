import { releaseBuffer } from './recorder.ts';

/** Buffers of a run, and its timestamps: made once, freed together. */
export class BufferSet {
  private readonly buffers: GPUBuffer[] = [];
  private readonly querySets: GPUQuerySet[] = [];

  constructor(readonly device: GPUDevice) {}

  /** A storage buffer of `elements` 32-bit words, zeroed, readable by copies. */
  storage(label: string, elements: number): GPUBuffer {
    const limit = this.device.limits.maxStorageBufferBindingSize;
    const size = Math.max(16, Math.ceil(elements / 4) * 16);
    if (size > limit) {
      throw new RangeError(`buffer "${label}" would take ${size} bytes; this device binds at most ${limit}`);
    }
    return this.track(
      this.device.createBuffer({
        label,
        size,
        usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
      }),
    );
  }

  /** A buffer that the CPU can map for reading, of `elements` 32-bit words. */
  staging(label: string, elements: number): GPUBuffer {
    return this.track(
      this.device.createBuffer({
        label,
        size: Math.max(16, elements * 4),
        usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
      }),
    );
  }

  /** Timestamps of compute passes, on a device that has them. */
  timestamps(label: string, count: number): GPUQuerySet {
    const set = this.device.createQuerySet({ label, type: 'timestamp', count });
    this.querySets.push(set);
    return set;
  }

  /** A buffer that timestamps are resolved into, of `count` 64-bit numbers. */
  resolved(label: string, count: number): GPUBuffer {
    const usage = GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC;
    return this.track(this.device.createBuffer({ label, size: 8 * count, usage }));
  }

  /** Bytes held. */
  get bytes(): number {
    return this.buffers.reduce((sum, buffer) => sum + buffer.size, 0);
  }

  /** Frees everything. Recorders of the device that remain in use drop their references to it. */
  destroy(): void {
    for (const buffer of this.buffers) releaseBuffer(this.device, buffer);
    for (const resource of [...this.buffers, ...this.querySets]) resource.destroy();
    this.buffers.length = 0;
    this.querySets.length = 0;
  }

  private track(buffer: GPUBuffer): GPUBuffer {
    this.buffers.push(buffer);
    return buffer;
  }
}

/** Reads `elements` 32-bit words of a buffer, for tests, checkpoints and other places that may wait. */
export async function readBuffer(
  device: GPUDevice,
  buffer: GPUBuffer,
  elements: number,
  elementOffset = 0,
): Promise<ArrayBuffer> {
  const staging = device.createBuffer({
    label: `read ${buffer.label}`,
    size: elements * 4,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, elementOffset * 4, staging, 0, elements * 4);
  device.queue.submit([encoder.finish()]);
  try {
    await staging.mapAsync(GPUMapMode.READ);
    return staging.getMappedRange().slice(0);
  } finally {
    staging.destroy();
  }
}
