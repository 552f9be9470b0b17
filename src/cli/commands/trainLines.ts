import { writeGroups } from '../../rollouts/jsonLines.ts';
import type { Update } from '../../training/run/trainer.ts';
import { groupRecords } from '../../training/worker/groupRecords.ts';
import type { Lines } from '../output/lines.ts';
import type { Output } from '../output/outputs.ts';

/**
 * Writer of the lines of a run during training. A line that cannot be written ends the training. The error is reported
 * after the run is saved.
 */
export class TrainLines {
  private readonly out: Lines | undefined;
  private readonly groups: Lines | undefined;
  private readonly stop = new AbortController();
  private groupsWritten: Promise<void> = Promise.resolve();
  private failure: unknown;

  /** @param print receives the metrics if no file is requested */
  constructor(
    private readonly print: (text: string) => void,
    { out, groups }: { readonly out: Output | undefined; readonly groups: Output | undefined },
  ) {
    this.out = out?.lines();
    this.groups = groups?.lines();
  }

  /** Signal that is aborted after a failed write. */
  get failed(): AbortSignal {
    return this.stop.signal;
  }

  /** Writes a line of metrics immediately, so that the file is complete after any end of the run. */
  metrics(row: object): void {
    const line = `${JSON.stringify(row)}\n`;
    if (!this.out) this.print(line);
    else this.attempt(() => this.out?.add(line));
  }

  /** Writes the groups of an update after their credit is computed, in the order of the updates. */
  record({ batch, credit, controls }: Update): void {
    if (!this.groups) return;
    const before = this.groupsWritten;
    const writeRecords = async () => {
      await before;
      const records = groupRecords(batch, await credit, controls.rule as string);
      this.attempt(() => this.groups?.add(writeGroups(records)));
    };
    this.groupsWritten = writeRecords();
    // The caller that awaits `settled` receives the error.
    this.groupsWritten.catch(() => {});
  }

  /**
   * Resolves when the groups of all updates are computed.
   * @throws if the credit of an update could not be computed
   */
  settled(): Promise<void> {
    return this.groupsWritten;
  }

  /**
   * Reports a failed write.
   * @throws if a line could not be written
   */
  end(): void {
    if (this.failure !== undefined) throw this.failure;
  }

  /** Closes the files. Call this after success and after an error. */
  close(): void {
    this.out?.close();
    this.groups?.close();
  }

  private attempt(act: () => void): void {
    if (this.failure !== undefined) return;
    try {
      act();
    } catch (error) {
      this.failure = error;
      this.stop.abort();
    }
  }
}
