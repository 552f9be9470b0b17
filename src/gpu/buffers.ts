import type { Gpu } from './device.ts';
import { type Recorder, releaseBuffer } from './recorder.ts';

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

/**
 * Ring of staging buffers for deferred read-backs. The training loop records a copy in every update and reads the
 * numbers some updates later, when they arrive. It never waits for a number that it only displays.
 */
export class ReadbackRing {
  private readonly free: GPUBuffer[];

  /** @param reportLength 32-bit words per read-back @param depth maximum number of read-backs in flight */
  constructor(
    buffers: BufferSet,
    label: string,
    private readonly reportLength: number,
    depth = 4,
  ) {
    this.free = Array.from({ length: depth }, (_, index) =>
      buffers.staging(`${label} read-back ${index}`, reportLength),
    );
  }

  /** True if a staging buffer is free. */
  get ready(): boolean {
    return this.free.length > 0;
  }

  /**
   * Records a copy of the first words of `source`. Call the returned function after `submit` to get the data.
   * @throws {Error} if all staging buffers are in flight; await an earlier read-back first
   */
  record(recorder: Recorder, source: GPUBuffer, reportLength = this.reportLength): () => Promise<ArrayBuffer> {
    const staging = this.free.pop();
    if (!staging) throw new Error('read-back ring is full: await an earlier read-back first');
    recorder.whenDiscarded(() => this.free.push(staging));
    recorder.copy(source, 0, staging, 0, reportLength * 4);
    return async () => {
      await staging.mapAsync(GPUMapMode.READ, 0, reportLength * 4);
      const data = staging.getMappedRange(0, reportLength * 4).slice(0);
      staging.unmap();
      this.free.push(staging);
      return data;
    };
  }
}

/** Maximum number of passes in a measurement. Work with more passes is not timed. */
const MAX_PASSES = 512;

/**
 * Stopwatch for the GPU time of consecutive parts of recorded commands, from timestamps at both ends of each compute
 * pass. Copies and clears are between passes. A part lasts from the beginning of its first pass to the end of its last
 * pass. The times arrive with a delay, like other read-backs.
 */
export class Stopwatch {
  private readonly set: GPUQuerySet;
  private readonly resolved: GPUBuffer;
  private readonly readbacks: ReadbackRing;
  /** Part of each pass [passes]. */
  private parts: number[] = [];
  private part = 0;

  private constructor(buffers: BufferSet) {
    this.set = buffers.timestamps('stopwatch', 2 * MAX_PASSES);
    this.resolved = buffers.resolved('timestamps', 2 * MAX_PASSES);
    this.readbacks = new ReadbackRing(buffers, 'timestamps', 4 * MAX_PASSES);
  }

  /** Creates a stopwatch; returns undefined on devices without timestamps. */
  static open({ timestamps }: Gpu, buffers: BufferSet): Stopwatch | undefined {
    return timestamps ? new Stopwatch(buffers) : undefined;
  }

  /** Assigns the commands that are recorded from now on to a part, 0 first. */
  start(recorder: Recorder, part: number): void {
    if (part === 0) this.parts = [];
    this.part = part;
    recorder.stampPasses(() => this.stamp());
  }

  /**
   * Records the end of the last part and the copy of all timestamps.
   * @returns function to call after `submit`: time of each part [parts, ms], NaN without passes or with more than
   *   MAX_PASSES
   */
  stop(recorder: Recorder): () => Promise<number[]> {
    recorder.stampPasses(undefined);
    const { parts } = this;
    const count = this.part + 1;
    if (parts.length === 0 || parts.length > MAX_PASSES) return async () => new Array<number>(count).fill(Number.NaN);
    recorder.resolve(this.set, 2 * parts.length, this.resolved);
    const read = this.readbacks.record(recorder, this.resolved, 4 * parts.length);
    return async () => partTimes(new BigUint64Array(await read()), parts, count);
  }

  private stamp(): GPUComputePassTimestampWrites | undefined {
    const index = 2 * this.parts.length;
    this.parts.push(this.part);
    if (this.parts.length > MAX_PASSES) return undefined;
    return { querySet: this.set, beginningOfPassWriteIndex: index, endOfPassWriteIndex: index + 1 };
  }
}

/**
 * Computes the time of each part [parts, ms]; NaN if it cannot be measured.
 * @param stamps [passes, 2] begin and end of each pass [ns]; 0 if the device wrote no timestamp
 * @param parts [passes] part of each pass
 * @param count number of parts
 */
export function partTimes(stamps: BigUint64Array, parts: readonly number[], count: number): number[] {
  return Array.from({ length: count }, (_, part) => {
    const first = parts.indexOf(part);
    const last = parts.lastIndexOf(part);
    if (first < 0) return Number.NaN;
    const [begin, end] = [stamps[2 * first], stamps[2 * last + 1]];
    // A device may restart its clock between two timestamps.
    return begin === 0n || end < begin ? Number.NaN : Number(end - begin) / 1e6;
  });
}
