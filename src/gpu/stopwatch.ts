import type { BufferSet } from './buffers.ts';
import type { Gpu } from './device.ts';
import { ReadbackRing } from './readbackRing.ts';
import type { Recorder } from './recorder.ts';

/** Passes of a timed stretch of work, at most; a longer one is not timed. */
const MAX_PASSES = 512;

/**
 * GPU time of consecutive parts of the commands of a recorder, from timestamps at both ends of every compute pass.
 * Copies and clears are between passes. A part is timed from the beginning of its first pass to the end of its last
 * pass. The numbers arrive late, as those of a read-back ring.
 */
export class Stopwatch {
  private readonly set: GPUQuerySet;
  private readonly resolved: GPUBuffer;
  private readonly readbacks: ReadbackRing;
  /** [passes] the part that each belongs to. */
  private parts: number[] = [];
  private part = 0;

  private constructor(buffers: BufferSet) {
    this.set = buffers.timestamps('stopwatch', 2 * MAX_PASSES);
    this.resolved = buffers.resolved('timestamps', 2 * MAX_PASSES);
    this.readbacks = new ReadbackRing(buffers, 'timestamps', 4 * MAX_PASSES);
  }

  /** Undefined on devices without timestamps. */
  static open({ timestamps }: Gpu, buffers: BufferSet): Stopwatch | undefined {
    return timestamps ? new Stopwatch(buffers) : undefined;
  }

  /** Assigns the commands that are recorded from here on to a part, 0 first. */
  start(recorder: Recorder, part: number): void {
    if (part === 0) this.parts = [];
    this.part = part;
    recorder.stampPasses(() => this.stamp());
  }

  /**
   * Records the end of the last part and the copy of all timestamps.
   * @returns function to be called after `submit`: [parts] milliseconds; NaN if no passes were recorded, or more passes
   *   than can be timed
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
 * Milliseconds of each part.
 * @param stamps [passes, 2] nanoseconds at the beginning and the end; 0 where the device wrote none
 * @param parts [passes]
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
