/*
 * Dawn's binding for Node polls without a pause while a promise is pending. On a software GPU that takes a whole core
 * from the very work it waits for. So a read-back first sleeps through most of the time that it lately took, and only
 * then starts to poll. A page needs none of this: browsers wait without polling.
 */

/** Share of the expected time that is slept through; the rest is polled, so that no time is lost by sleeping late. */
const SLEPT = 0.9;
/** Below this many milliseconds a timer is not worth it. */
const SHORTEST = 3;
/** An answer that comes so soon after the sleep, in milliseconds, was probably there before: sleep less next time. */
const AT_ONCE = 0.5;

/** Read-backs of different lengths take turns under one label; so many are remembered, and the shortest counts. */
const REMEMBERED = 4;

/** Expects the next duration from the last ones; exported for its test. */
export class Expectation {
  private readonly last: number[] = [];

  /** Milliseconds to sleep before looking. */
  get sleep(): number {
    const time = this.last.length < 2 ? 0 : SLEPT * Math.min(...this.last);
    return time >= SHORTEST ? time : 0;
  }

  /** @param slept milliseconds slept, @param polled milliseconds until the answer came after that */
  learn(slept: number, polled: number): void {
    const late = slept > 0 && polled < AT_ONCE;
    this.last.push(late ? 0.8 * slept : slept + polled);
    if (this.last.length > REMEMBERED) this.last.shift();
  }
}

const expectations = new Map<string, Expectation>();

/** Makes every mapAsync of the process patient; buffers with the same label share their expectation. */
export function waitPatiently(prototype: GPUBuffer): void {
  const mapAsync = prototype.mapAsync;
  prototype.mapAsync = async function (this: GPUBuffer, ...parameters: Parameters<GPUBuffer['mapAsync']>) {
    let expectation = expectations.get(this.label);
    if (!expectation) {
      expectation = new Expectation();
      expectations.set(this.label, expectation);
    }
    const start = performance.now();
    const { sleep } = expectation;
    if (sleep > 0) await new Promise((resolve) => setTimeout(resolve, sleep));
    const slept = sleep > 0 ? performance.now() - start : 0;
    await mapAsync.apply(this, parameters);
    expectation.learn(slept, performance.now() - start - slept);
  };
}
