/** Dispatches and submissions as WebGPU sees them, from any caller. */
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

/** Two sides that did the same work alternately. */
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
 * Times sides in turns, so that other work of the machine affects all of them.
 * @param sides do the work once and return its milliseconds
 * @returns [sides][rounds] median of a turn
 */
export async function roundTimes(rounds: number, sides: readonly (() => Promise<number>)[]): Promise<number[][]> {
  const times: number[][] = sides.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, side] of sides.entries()) {
      const turn: number[] = [];
      for (let i = 0; i < TURN; i++) turn.push(await side());
      times[index].push(median(turn.slice(1)));
    }
  }
  return times;
}

/** Times two sides in turns. @param ours,theirs do the work once and return its milliseconds */
export async function pairedTimes(
  rounds: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<Paired> {
  const [ourTimes, peer] = await roundTimes(rounds, [ours, theirs]);
  return {
    ours: median(ourTimes),
    theirs: median(peer),
    ratio: median(peer.map((time, round) => time / ourTimes[round])),
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
