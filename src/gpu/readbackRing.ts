import type { BufferSet } from './buffers.ts';
import type { Recorder } from './recorder.ts';

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
