import type { Readable } from 'node:stream';
import type { Gpu } from '../../gpu/device.ts';

/** What a command needs from the place it runs in; tests bring their own. */
export interface Terminal {
  /** Results; nothing else ever goes there. */
  out(text: string): void;
  /** Resolves when what `out` was given has been taken on: whoever writes much at once waits for a slow reader. */
  drained(): Promise<void>;
  /** Standard input, from its beginning. */
  input(): Readable;
  /** Progress and messages. */
  err(text: string): void;
  /** Whether `err` is a screen on which a line can be written over. */
  readonly interactive: boolean;
  /** Columns of that screen. */
  readonly columns: number;
  /** Aborted by Ctrl-C: finish what is at hand, keep what is to be kept, and end. */
  readonly signal: AbortSignal;
  /** Opens a device of its own. @throws {NoWebGpuError} */
  openGpu(): Promise<Gpu>;
}

/** Steps between two lines of progress where no line can be written over. */
const PLAIN_STEPS = 10;
const BAR = 20;

/** Progress on `err`: a bar that is written over on a screen, a line every ten steps otherwise. */
export class Progress {
  private readonly start = performance.now();
  private drawn = false;
  private done: number;

  /** @param from steps that were done before, for a run that is continued */
  constructor(
    private readonly terminal: Terminal,
    private readonly total: number,
    private readonly from = 0,
  ) {
    this.done = from;
  }

  /** One more step is done. @param label what is being done; @param note numbers of the step */
  advance(label: string, note: string): void {
    this.done++;
    const { interactive, columns } = this.terminal;
    const count = `${this.done}/${this.total}`;
    if (interactive) {
      const filled = Math.round((BAR * this.done) / this.total);
      const bar = '█'.repeat(filled) + '░'.repeat(BAR - filled);
      const line = `${label} ${bar} ${count} · ${note} · ${this.left()}`;
      this.terminal.err(`\r\x1b[2K${line.slice(0, columns - 1)}`);
      this.drawn = true;
    } else if (this.done % PLAIN_STEPS === 0 || this.done === this.total) {
      this.terminal.err(`${label} ${count} · ${note} · ${this.left()}\n`);
    }
  }

  /** A line between the bars, for what happens on the way. */
  say(text: string): void {
    this.close();
    this.terminal.err(`${text}\n`);
  }

  /** Ends the bar's line; call it when the work is over, however it ended. */
  close(): void {
    if (this.drawn) this.terminal.err('\n');
    this.drawn = false;
  }

  private left(): string {
    const seconds = (performance.now() - this.start) / 1000;
    if (this.done === this.total) return `took ${duration(seconds)}`;
    return `${duration((seconds / (this.done - this.from)) * (this.total - this.done))} left`;
  }
}

/** Seconds in words: "45 s", "3 min 5 s", "1 h 20 min". */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
