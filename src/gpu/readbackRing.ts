import type { BufferSet } from './buffers.ts';
import type { Recorder } from './recorder.ts';

/**
 * Late read-back: a ring of staging buffers. The loop records a copy with every update and takes the numbers when
 * they arrive, some updates later; it never waits for a number that it only displays.
 */
export class ReadbackRing {
  private readonly free: GPUBuffer[];

  /** @param reportLength 32-bit words of one read-back; @param depth read-backs in flight before `take` has to wait */
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
   * Records a copy of the first words of `source`; call the returned function after `submit` to get the data.
   * @throws {Error} when every staging buffer is in flight; await an earlier one first
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
