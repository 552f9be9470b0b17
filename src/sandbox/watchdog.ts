/** Messages that are already on their way get this long, in milliseconds, before a worker is ended. */
const GRACE = 100;

/** Watches the programs of one worker in sequence, and calls back when one takes longer than it may. */
export class Watchdog {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private since = 0;
  private limit = 0;
  /** When the timer rings. */
  private rings = 0;

  constructor(private readonly onTimeout: () => void) {}

  /** A program begins that may take `limit` milliseconds. */
  begin(limit: number): void {
    this.since = performance.now();
    this.limit = limit;
    // Most programs are done long before: a timer is left alone unless this one must end before it rings.
    if (this.timer === undefined || this.end < this.rings) this.arm(this.end);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private get end(): number {
    return this.since + this.limit + GRACE;
  }

  private arm(at: number): void {
    clearTimeout(this.timer);
    this.rings = at;
    this.timer = setTimeout(() => this.checkTimeout(), Math.max(1, at - performance.now()));
  }

  private checkTimeout(): void {
    this.timer = undefined;
    const now = performance.now();
    if (now < this.end) this.arm(this.end);
    // The host itself was held up, and a timer rings before the messages that came meanwhile.
    else if (now > this.rings + GRACE) this.arm(now + GRACE);
    else this.onTimeout();
  }
}
