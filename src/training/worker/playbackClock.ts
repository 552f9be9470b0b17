/** Timer that limits the rate of updates. A late update does not shift later updates to earlier times. */
export class UpdateTimer {
  /** Minimum time between the starts of two updates [ms]. */
  private interval = 0;
  /** Time at which the last update started or was due [ms]. */
  private startTime = Number.NEGATIVE_INFINITY;

  /** Sets the maximum rate. @param updatesPerSecond maximum rate; null for no limit */
  set(updatesPerSecond: number | null): void {
    this.interval = updatesPerSecond === null ? 0 : 1000 / updatesPerSecond;
  }

  /** Records the start of an update. @param now current time [ms] */
  beat(now: number): void {
    const due = this.startTime + this.interval;
    this.startTime = now < due + this.interval ? due : now;
  }

  /** Returns the time until the next update is due [ms]; 0 or less if it is due. */
  left(now: number): number {
    return this.interval === 0 ? 0 : this.startTime + this.interval - now;
  }
}

/** Time source of a session [ms]. */
interface Clock {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** Waits of a session: for the time of its next update, and for conditions that requests and events can change. */
export class PlaybackClock {
  private readonly updateTimer = new UpdateTimer();
  private ring: () => void = () => {};

  constructor(private readonly clock: Clock) {}

  /** Sets the maximum rate of updates. @param updatesPerSecond maximum rate; null for no limit */
  pace(updatesPerSecond: number | null): void {
    this.updateTimer.set(updatesPerSecond);
  }

  /** Records the start of an update. */
  beat(): void {
    this.updateTimer.beat(this.clock.now());
  }

  /** Lets all waiting code check its condition again. Call it after a request or an event. */
  wake(): void {
    this.ring();
  }

  /** Waits until a condition is true. The condition is checked after each `wake`. */
  async until(so: () => boolean): Promise<void> {
    while (!so()) await this.woken();
  }

  /** Waits until the next update is due. Returns false if `goOn` is false by then, and true otherwise. */
  async untilDue(goOn: () => boolean): Promise<boolean> {
    for (;;) {
      const left = this.updateTimer.left(this.clock.now());
      if (left <= 0 || !goOn()) return goOn();
      await Promise.race([this.clock.sleep(left), this.woken()]);
    }
  }

  private woken(): Promise<void> {
    return new Promise((resolve) => (this.ring = resolve));
  }
}
