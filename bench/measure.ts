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

/** Two sides that did the same work, turn about. */
export interface Paired {
  /** Medians, milliseconds. */
  readonly ours: number;
  readonly theirs: number;
  /** Median over the rounds of their time over ours. */
  readonly ratio: number;
}

/** Runs of one side before the other has its turn; the first, which finds the caches full of the other's, is not counted. */
const TURN = 3;

/**
 * Times two sides in turns, so that whatever else the machine does meets both alike.
 * @param ours,theirs do the work once and give the milliseconds that it took
 */
export async function pairedTimes(
  rounds: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<Paired> {
  const turn = async (side: () => Promise<number>) => {
    const times: number[] = [];
    for (let i = 0; i < TURN; i++) times.push(await side());
    return median(times.slice(1));
  };
  const counted: { ours: number; theirs: number }[] = [];
  for (let i = 0; i < rounds; i++) counted.push({ ours: await turn(ours), theirs: await turn(theirs) });
  return {
    ours: median(counted.map((round) => round.ours)),
    theirs: median(counted.map((round) => round.theirs)),
    ratio: median(counted.map((round) => round.theirs / round.ours)),
  };
}

/** Milliseconds that some work takes. */
export async function clocked(run: () => unknown): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
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
