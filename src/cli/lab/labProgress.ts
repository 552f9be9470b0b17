import { duration, type Terminal, WrittenLine } from '../framework/terminal.ts';
import type { Work } from './work.ts';

/** Progress of a lab: what is being done, and the time left of the claim and in all. */
export class LabProgress extends WrittenLine {
  /** Updates that are left, and seconds an update, by experiment. */
  private readonly left: { readonly id: string; readonly key: string; updates: number; readonly known: number }[];
  /** Seconds and updates of this session, by plan. */
  private readonly measured = new Map<string, { seconds: number; updates: number }>();
  private readonly runs: number;
  private done = 0;
  private at = performance.now();

  constructor(
    terminal: Pick<Terminal, 'err' | 'interactive' | 'columns'>,
    work: readonly Work[],
    private readonly now = () => performance.now(),
  ) {
    super(terminal);
    this.left = work.map(({ prepared, updates, seconds }) => ({
      ...{ id: prepared.claim.id, key: prepared.key, updates, known: seconds },
    }));
    this.runs = work.reduce((sum, { missing }) => sum + missing.length, 0);
    this.at = now();
  }

  /** The clock of the next update starts here: making a warm start and measuring a policy are no updates. */
  begins(): void {
    this.at = this.now();
  }

  /** One more update of an experiment. @param index of the experiment's work @param label what is trained */
  update(index: number, label: string): void {
    const own = this.left[index];
    own.updates = Math.max(0, own.updates - 1);
    const before = this.measured.get(own.key) ?? { seconds: 0, updates: 0 };
    const seconds = before.seconds + (this.now() - this.at) / 1000;
    this.measured.set(own.key, { seconds, updates: before.updates + 1 });
    this.at = this.now();
    if (this.terminal.interactive) this.draw(label, this.done / Math.max(1, this.runs), this.told(own.id));
  }

  /** A run is finished and kept. */
  finished(index: number, label: string): void {
    this.done++;
    this.say(`${label} is done; ${this.told(this.left[index].id)}`);
  }

  /** Seconds that are left of a claim, or of all. */
  seconds(id?: string): number {
    return this.left
      .filter((one) => id === undefined || one.id === id)
      .reduce((sum, { key, updates, known }) => {
        const measured = this.measured.get(key);
        return sum + updates * (measured ? measured.seconds / measured.updates : known);
      }, 0);
  }

  private told(id: string): string {
    return `${duration(this.seconds(id))} left of ${id}, ${duration(this.seconds())} in all (${this.done} of ${this.runs} runs)`;
  }
}
