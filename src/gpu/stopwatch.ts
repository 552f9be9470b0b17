import type { BufferSet } from './buffers.ts';
import type { Gpu } from './device.ts';
import { ReadbackRing } from './readbackRing.ts';
import type { Recorder } from './recorder.ts';

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
