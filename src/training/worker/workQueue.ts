type Work = () => Promise<void>;

/** Owner of a queue, with its actions for an empty queue and for errors. */
export interface QueueOwner {
  /**
   * Returns work for the time in which the queue is empty; undefined to rest. This work must end when other work is
   * queued.
   */
  idle(): Work | undefined;
  /** Handles the error of failed work. */
  fail(error: unknown): Promise<void>;
  /** Called when the queue is empty and no work is in progress. */
  rest(): void;
}

/** Queue that runs work sequentially, in the order of arrival. */
export class WorkQueue {
  private readonly waiting: Work[] = [];
  private busy = false;

  constructor(private readonly owner: QueueOwner) {}

  get empty(): boolean {
    return this.waiting.length === 0;
  }

  push(work: Work): void {
    this.waiting.push(work);
    this.run();
  }

  /** Starts queued or idle work, unless work is in progress. */
  run(): void {
    if (this.busy) return;
    this.busy = true;
    this.drain().then(() => {
      this.busy = false;
      // Work can have been queued between the last check of the queue and this point.
      if (!this.empty || this.owner.idle()) this.run();
    });
  }

  private async drain(): Promise<void> {
    for (;;) {
      const work = this.waiting.shift() ?? this.owner.idle();
      if (!work) break;
      try {
        await work();
      } catch (error) {
        await this.owner.fail(error);
      }
    }
    this.owner.rest();
  }
}

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
