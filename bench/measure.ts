/** Dispatches and submissions as WebGPU sees them, whoever makes them. */
export interface GpuCounts {
  readonly dispatches: number;
  readonly submissions: number;
}

/** The middle of a list, or the mean of its two middles. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Milliseconds of each of `repeats` runs, after `warmUp` runs that are not counted. */
export async function times(warmUp: number, repeats: number, run: () => Promise<unknown>): Promise<number[]> {
  const all: number[] = [];
  for (let i = 0; i < warmUp + repeats; i++) {
    const start = performance.now();
    await run();
    all.push(performance.now() - start);
  }
  return all.slice(warmUp);
}

/**
 * Counts from now on every dispatch and submission of this process, by wrapping the methods of WebGPU's classes, so
 * that both sides are counted the same way. Call it once, when the classes are on globalThis.
 * @returns a function that counts what happens while `run` runs
 */
export function countGpu(): (run: () => Promise<unknown>) => Promise<GpuCounts> {
  const total = { dispatches: 0, submissions: 0 };
  const { dispatchWorkgroups } = GPUComputePassEncoder.prototype;
  GPUComputePassEncoder.prototype.dispatchWorkgroups = function (...sizes) {
    total.dispatches++;
    return dispatchWorkgroups.apply(this, sizes);
  };
  const { submit } = GPUQueue.prototype;
  GPUQueue.prototype.submit = function (buffers) {
    total.submissions++;
    return submit.call(this, buffers);
  };
  return async (run) => {
    const before = { ...total };
    await run();
    return {
      dispatches: total.dispatches - before.dispatches,
      submissions: total.submissions - before.submissions,
    };
  };
}
