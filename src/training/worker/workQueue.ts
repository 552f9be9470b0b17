type Work = () => Promise<void>;

/** Actions of the owner of a queue when nothing is queued. */
export interface QueueOwner {
  /**
   * Returns work to continue with while the queue is empty; undefined to rest. The work must end when something is
   * queued.
   */
  idle(): Work | undefined;
  /** Takes what went wrong in a piece of work. */
  fail(error: unknown): Promise<void>;
  /** Called when nothing is queued and no work is in progress. */
  rest(): void;
}

/** Does one piece of work after another, in the order in which they came. */
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

  /** Looks again whether there is something to do. */
  run(): void {
    if (this.busy) return;
    this.busy = true;
    this.drain().then(() => {
      this.busy = false;
      // Asked for in the moment between the last look at the queue and now.
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
