/*
 * Dawn's binding for Node looks for what has been fulfilled on every turn of the event loop and never pauses while a
 * promise is pending. On a software GPU that takes a whole core from the very work it waits for. So each turn of the
 * loop rests for a moment while the GPU is waited for. A page needs none of this: browsers wait without polling.
 */

/** Milliseconds that a turn of the event loop rests: as much later may an answer be noticed. */
const REST = 0.25;

/** Rests on every turn of the event loop as long as something is waited for; exported for its test. */
export class Patience {
  private waiting = 0;
  private resting = false;

  /**
   * @param rest blocks for a moment
   * @param nextTurn calls back on the next turn of the event loop
   */
  constructor(
    private readonly rest: () => void,
    private readonly nextTurn: (turn: () => void) => void = setImmediate,
  ) {}

  /** Waits for what `begin` begins. */
  async during<T>(begin: () => Promise<T>): Promise<T> {
    this.waiting++;
    // One chain of rests is enough for any number of waits, also where the next begins before the last rest ends.
    if (!this.resting) {
      this.resting = true;
      this.nextTurn(() => this.turn());
    }
    try {
      return await begin();
    } finally {
      this.waiting--;
    }
  }

  private turn(): void {
    this.resting = this.waiting > 0;
    if (!this.resting) return;
    this.rest();
    this.nextTurn(() => this.turn());
  }
}

/** Makes every mapAsync of the process patient. */
export function waitPatiently(prototype: GPUBuffer): void {
  const never = new Int32Array(new SharedArrayBuffer(4));
  const patience = new Patience(() => Atomics.wait(never, 0, 0, REST));
  const mapAsync = prototype.mapAsync;
  prototype.mapAsync = function (this: GPUBuffer, ...parameters: Parameters<GPUBuffer['mapAsync']>) {
    return patience.during(() => mapAsync.apply(this, parameters));
  };
}
