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
