/** Updates begin no faster than a pace. One that comes late does not make the next ones early. */
export class UpdateTimer {
  /** Milliseconds between two beginnings. */
  private interval = 0;
  /** When the last update began, or should have. */
  private startTime = Number.NEGATIVE_INFINITY;

  /** @param updatesPerSecond null: as fast as it goes */
  set(updatesPerSecond: number | null): void {
    this.interval = updatesPerSecond === null ? 0 : 1000 / updatesPerSecond;
  }

  /** An update begins. @param now milliseconds of some clock */
  beat(now: number): void {
    const due = this.startTime + this.interval;
    this.startTime = now < due + this.interval ? due : now;
  }

  /** Milliseconds until the next update may begin; 0 or less: it may. */
  left(now: number): number {
    return this.interval === 0 ? 0 : this.startTime + this.interval - now;
  }
}

/** Time, as a session has it. */
interface Clock {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** Waits of a session: for the moment of its next update, and for conditions that may change during a request. */
export class PlaybackClock {
  private readonly updateTimer = new UpdateTimer();
  private ring: () => void = () => {};

  constructor(private readonly clock: Clock) {}

  /** @param updatesPerSecond null: as fast as it goes */
  pace(updatesPerSecond: number | null): void {
    this.updateTimer.set(updatesPerSecond);
  }

  /** An update begins. */
  beat(): void {
    this.updateTimer.beat(this.clock.now());
  }

  /** Called after a request or an event: all waiting code checks its condition again. */
  wake(): void {
    this.ring();
  }

  /** Waits until that is so; it is looked at whenever somebody wakes. */
  async until(so: () => boolean): Promise<void> {
    while (!so()) await this.woken();
  }

  /** Waits for the moment of the next update; returns true if the update is still due. */
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
