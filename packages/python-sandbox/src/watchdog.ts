/** Time for messages in transit before a worker is ended [ms]. */
const GRACE = 100;

/** Monitors the programs of one worker in sequence. Calls back if a program exceeds its time limit. */
export class Watchdog {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private since = 0;
  private limit = 0;
  /** Time at which the timer fires [ms]. */
  private rings = 0;

  constructor(private readonly onTimeout: () => void) {}

  /** Starts the time of a program. @param limit time limit [ms] */
  begin(limit: number): void {
    this.since = performance.now();
    this.limit = limit;
    // Most programs end early. The timer is only replaced if it fires after the limit of this program.
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
    // If the host itself was blocked, the timer fires before messages that arrived meanwhile.
    else if (now > this.rings + GRACE) this.arm(now + GRACE);
    else this.onTimeout();
  }
}
