import { duration, type Terminal, WrittenLine } from '../framework/terminal.ts';
import type { Unit } from './work.ts';

/** Progress of a lab: the current run and the processor time left of this process. */
export class LabProgress extends WrittenLine {
  /** Processor times of the runs of this session [s], by plan. */
  private readonly measured = new Map<string, number[]>();
  private readonly left: { readonly key: string; readonly seconds: number }[];
  private readonly runs: number;

  /** @param starts time of the missing warm starts [s] */
  constructor(
    terminal: Pick<Terminal, 'err' | 'interactive' | 'columns'>,
    units: readonly Unit[],
    private starts: number,
  ) {
    super(terminal);
    this.left = units.flatMap(({ prepared: { key }, arms, seconds }) => arms.map(() => ({ key, seconds })));
    this.runs = this.left.length;
  }

  /** Draws the progress after an update of a run. */
  update(label: string): void {
    if (this.terminal.interactive) this.draw(label, 1 - this.left.length / Math.max(1, this.runs), this.describe());
  }

  /**
   * Subtracts a warm start that was loaded or created from the time left.
   * @param seconds its expected time [s]
   */
  started(seconds: number): void {
    this.starts = Math.max(0, this.starts - seconds);
  }

  /**
   * Writes a line about a run that is finished and saved.
   * @param seconds processor time of the run [s]
   */
  finished(key: string, label: string, seconds: number): void {
    const index = this.left.findIndex((entry) => entry.key === key);
    if (index >= 0) this.left.splice(index, 1);
    this.measured.set(key, [...(this.measured.get(key) ?? []), seconds]);
    this.write(`${label} took ${duration(seconds)} of processor time; ${this.describe()}`);
  }

  /** Estimated processor time left [s]. */
  get seconds(): number {
    return this.left.reduce((sum, { key, seconds }) => {
      const durations = this.measured.get(key);
      return sum + (durations ? durations.reduce((total, value) => total + value, 0) / durations.length : seconds);
    }, this.starts);
  }

  private describe(): string {
    return `about ${duration(this.seconds)} of processor time left (${this.runs - this.left.length} of ${this.runs} runs)`;
  }
}
