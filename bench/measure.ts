/** Dispatches and submissions of all callers of WebGPU. */
export interface GpuCounts {
  readonly dispatches: number;
  readonly submissions: number;
}

/** Returns the median: the middle value, or the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Times of two sides that did the same work alternately. */
export interface Paired {
  /** Medians [ms]. */
  readonly ours: number;
  readonly theirs: number;
  /** `theirs` over `ours`: the median over the rounds. */
  readonly ratio: number;
}

/** Number of consecutive runs of a side. The first is not counted, because the caches hold data of the other side. */
const TURN = 3;

/**
 * Times sides alternately, so that other work of the machine affects all of them.
 * @param sides functions that do the work once and return its time [ms]
 * @returns [sides][rounds] median time of the consecutive runs [ms]
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

/** Times two sides alternately. @param ours,theirs functions that do the work once and return its time [ms] */
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

/** Returns the elapsed time of a function [ms]. */
export async function clocked(run: () => unknown): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/**
 * Counts every later dispatch and submission of this process, by wrapping methods of the WebGPU classes, so that both
 * sides are counted in the same way. Call it once, after the classes are on globalThis.
 * @returns a function that runs `run` and returns its counts
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
