import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Gpu } from '../../gpu/device.ts';
import { Interrupted } from './errors.ts';
import type { NamedFile } from './inputs.ts';

/** Interface between a command and its process. Tests provide another implementation. */
export interface Terminal {
  /** Writes results. No other text is written to this stream. */
  out(text: string): void;
  /** Resolves when the text passed to `out` is accepted. A caller that writes large results waits for a slow reader. */
  drained(): Promise<void>;
  /** Returns standard input from its beginning. */
  input(): Readable;
  /** Writes progress and messages. */
  err(text: string): void;
  /** True if `err` is a screen on which a line can be overwritten. */
  readonly interactive: boolean;
  /** Width of that screen [columns]. */
  readonly columns: number;
  /** Signal that Ctrl-C aborts. The command then finishes its current step, saves its results, and ends. */
  readonly signal: AbortSignal;
  /** Files that the command line names. An output must not be one of the other files. */
  readonly files?: readonly NamedFile[];
  /**
   * Opens a new device.
   * @param kind `card` rejects software renderers
   * @throws {NoWebGpuError} without an adapter
   */
  openGpu(kind?: 'card'): Promise<Gpu>;
}

/** Steps between two lines of progress if a line cannot be overwritten. */
const PLAIN_STEPS = 10;
const BAR = 20;

/** Last line of `err`, which is overwritten on a screen, and separate lines above it. */
export class WrittenLine {
  private drawn = false;

  constructor(protected readonly terminal: Pick<Terminal, 'err' | 'interactive' | 'columns'>) {}

  /** Writes a separate line, for events during the work. */
  write(text: string): void {
    this.close();
    this.terminal.err(`${text}\n`);
  }

  /** Ends the overwritten line. Call this after the work, whether it succeeded or failed. */
  close(): void {
    if (this.drawn) this.terminal.err('\n');
    this.drawn = false;
  }

  /**
   * Overwrites the line with the current task, a bar, and a text.
   * @param share finished share of the work, 0 to 1
   */
  protected draw(label: string, share: number, message: string): void {
    const completed = Math.round(BAR * share);
    const line = `${label} ${'█'.repeat(completed)}${'░'.repeat(BAR - completed)} ${message}`;
    this.terminal.err(`\r\x1b[2K${line.slice(0, this.terminal.columns - 1)}`);
    this.drawn = true;
  }
}

/** Progress on `err`: an overwritten bar on a screen, otherwise a line every ten steps. */
export class Progress extends WrittenLine {
  private readonly start = performance.now();
  private done: number;

  /** @param from steps of an earlier process, for a run that continues */
  constructor(
    terminal: Terminal,
    private readonly total: number,
    private readonly from = 0,
  ) {
    super(terminal);
    this.done = from;
  }

  /**
   * Reports one more finished step.
   * @param label current task
   * @param note metrics of the step
   */
  advance(label: string, note: string): void {
    this.done++;
    const message = `${this.done}/${this.total} · ${note} · ${this.left()}`;
    if (this.terminal.interactive) this.draw(label, this.done / this.total, message);
    else if (this.done % PLAIN_STEPS === 0 || this.done === this.total) this.write(`${label} ${message}`);
  }

  private left(): string {
    const seconds = (performance.now() - this.start) / 1000;
    if (this.done === this.total) return `took ${duration(seconds)}`;
    return `${duration((seconds / (this.done - this.from)) * (this.total - this.done))} left`;
  }
}

/**
 * Shows the progress of work that reports its finished parts.
 * @param label current task
 * @param note metric of the parts
 * @param work calls `report` with the number of finished parts and their total
 */
export async function withProgress<Result>(
  terminal: Terminal,
  label: string,
  note: string,
  work: (report: (done: number, total: number, note?: string) => void) => Promise<Result>,
): Promise<Result> {
  let progress: Progress | undefined;
  let reported = 0;
  try {
    return await work((done, total, text = note) => {
      progress ??= new Progress(terminal, total);
      for (; reported < done; reported++) progress.advance(label, text);
    });
  } finally {
    progress?.close();
  }
}

/** Shows the progress of work as `withProgress`. The report after Ctrl-C throws `Interrupted`. */
export function withStoppableProgress<Result>(
  terminal: Terminal,
  label: string,
  note: string,
  work: Parameters<typeof withProgress<Result>>[3],
): Promise<Result> {
  return withProgress(terminal, label, note, (report) =>
    work((...parts) => {
      if (terminal.signal.aborted) throw new Interrupted();
      report(...parts);
    }),
  );
}

/** Formats a duration in seconds: "45 s", "3 min 5 s", "1 h 20 min". */
export function duration(seconds: number): string {
  const rounded = Math.round(seconds);
  if (rounded < 60) return `${rounded} s`;
  if (rounded < 3600) return `${Math.floor(rounded / 60)} min ${rounded % 60} s`;
  return `${Math.floor(rounded / 3600)} h ${Math.floor((rounded % 3600) / 60)} min`;
}

/** Maximum time for which a loop blocks signals and timers [ms]. */
const LONGEST = 50;

/** Yields to the event loop periodically, so that signals can stop a long computation. */
export class EventLoopYield {
  private last = performance.now();

  constructor(private readonly signal: AbortSignal | undefined) {}

  /**
   * Yields if the last yield was more than 50 ms ago. Call this between two pieces of work.
   * @throws {Interrupted} if the signal is aborted
   */
  async pause(): Promise<void> {
    if (performance.now() - this.last < LONGEST) return;
    await nextTurn();
    if (this.signal?.aborted) throw new Interrupted();
    this.last = performance.now();
  }
}

/** Formats a table with left-aligned columns that are two spaces apart. */
export function alignedTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Formats a table in Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Formats a number with two digits: ".57", "-.02", "1.00", or "-" if it is not finite. */
export function two(value: number): string {
  return Number.isFinite(value) ? value.toFixed(2).replace(/^(-?)0\./, '$1.') : '-';
}
