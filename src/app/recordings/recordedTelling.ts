import type { RecordedRun } from '../../storage/recordingFile.ts';
import type { Message } from '../../training/data/protocol.ts';

/** Tells a recorded run as a worker would tell it, as far as it is asked to. */
export class RecordedTelling {
  constructor(
    private readonly run: RecordedRun,
    readonly tell: (message: Message) => void,
  ) {}

  /** Tells the run from its start on, as far as a step. */
  begin(to: number): void {
    this.rewind(0);
    this.happens(0);
    if (to > 0) this.advance(0, to);
  }

  /** Tells where the run stands; whoever hears it forgets what comes after (RunModel). */
  rewind(step: number): void {
    const { configuration, device } = this.run;
    this.tell({ type: 'ready', configuration, device, step });
    this.tellGroup(0, step);
  }

  /** Tells everything from one step as far as another: updates, what happened before them, and the last group. */
  advance(from: number, to: number): void {
    for (let step = from; step < to; step++) {
      const metrics = this.run.metrics[step];
      if (metrics) this.tell({ type: 'metrics', metrics });
      this.happens(step + 1);
    }
    this.tellGroup(from, to);
  }

  /** What happens before the next update: a run says so when it gets there. */
  private happens(at: number): void {
    for (const event of this.run.events) if (event.step === at) this.tell({ type: 'event', event });
  }

  /** The last group of the updates from one to another. */
  private tellGroup(from: number, to: number): void {
    const group = this.run.groups.findLast(({ step }) => step >= from && step < to);
    if (group) this.tell({ type: 'group', group });
  }
}
