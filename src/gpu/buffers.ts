import { releaseBuffer } from './recorder.ts';

/** Buffers and timestamps of a run, which are created once and destroyed together. */
export class BufferSet {
  private readonly buffers: GPUBuffer[] = [];
  private readonly querySets: GPUQuerySet[] = [];

  constructor(readonly device: GPUDevice) {}

  /** Creates a storage buffer, zeroed and readable by copies. @param elements number of 32-bit words */
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

  /** Creates a buffer that the CPU can map for reading. @param elements number of 32-bit words */
  staging(label: string, elements: number): GPUBuffer {
    return this.track(
      this.device.createBuffer({
        label,
        size: Math.max(16, elements * 4),
        usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
      }),
    );
  }

  /** Creates a set of timestamps of compute passes, on a device that supports them. */
  timestamps(label: string, count: number): GPUQuerySet {
    const set = this.device.createQuerySet({ label, type: 'timestamp', count });
    this.querySets.push(set);
    return set;
  }

  /** Creates a buffer into which timestamps are resolved. @param count number of 64-bit words */
  resolved(label: string, count: number): GPUBuffer {
    const usage = GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC;
    return this.track(this.device.createBuffer({ label, size: 8 * count, usage }));
  }

  /** Size of all buffers [bytes]. */
  get bytes(): number {
    return this.buffers.reduce((sum, buffer) => sum + buffer.size, 0);
  }

  /** Destroys all buffers and timestamps. Recorders of the device that remain in use drop their references to them. */
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

/**
 * Reads 32-bit words of a buffer. The caller waits for the GPU, as for tests and checkpoints.
 * @param elements number of 32-bit words
 */
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
