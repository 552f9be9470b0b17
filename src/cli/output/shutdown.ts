import { once } from 'node:events';
import { EXIT, errorCode, Interrupted, reason, Stop } from '../framework/errors.ts';

/** Exit codes that shells use for a program that a signal ended. */
const SIGNALS = { SIGHUP: 129, SIGINT: EXIT.interrupted, SIGTERM: 143 } as const;
/**
 * Time within which further signals belong to the first request [ms]. A terminal, npm and `timeout` can each send one.
 */
const REPEAT_LIMIT = 500;

/**
 * Handles shutdown: signals, closed pipes and failed writes.
 *
 * The first signal requests that the command stops, and the command then saves its results. The system handles the next
 * Ctrl-C and ends the process immediately, even if a long computation blocks all handlers. If the reader of standard
 * output closes the pipe, the command stops too. Progress output without a reader does not stop the command.
 */
export class ShutdownHandler {
  private readonly stop = new AbortController();
  private firstSignalAt: number | undefined;
  /** Reason why standard output accepts no more text. */
  private broken: Stop | undefined;

  constructor(private readonly nodeProcess: NodeJS.Process) {
    for (const [name, code] of Object.entries(SIGNALS)) nodeProcess.on(name, this.wishes(name, code));
    nodeProcess.stdout.on('error', (error) => this.outFailed(error));
    nodeProcess.stderr.on('error', () => {});
  }

  /** Signal that is aborted, with a Stop as its reason, if the command must end early. */
  get signal(): AbortSignal {
    return this.stop.signal;
  }

  out(text: string): void {
    if (!this.broken) this.nodeProcess.stdout.write(text);
  }

  err(text: string): void {
    this.nodeProcess.stderr.write(text);
  }

  /**
   * Resolves when standard output accepts more text.
   * @throws if standard output is closed, or if the command must end
   */
  async drained(): Promise<void> {
    const { stdout } = this.nodeProcess;
    if (!this.broken && stdout.writableNeedDrain) {
      await once(stdout, 'drain', { signal: this.signal }).catch(() => {
        throw this.broken ?? new Interrupted();
      });
    }
    if (this.broken) throw this.broken;
  }

  /** Ends the process after all text is written. Dawn would prevent its end. */
  async finish(code: number): Promise<never> {
    const lost = await flushed(this.nodeProcess.stdout);
    if (lost) this.outFailed(lost);
    if (code === EXIT.done && this.firstSignalAt !== undefined) this.err('the command had already finished\n');
    await flushed(this.nodeProcess.stderr);
    this.nodeProcess.exit(code === EXIT.done ? (this.broken?.code ?? code) : code);
  }

  private wishes(name: string, code: number): () => void {
    return () => {
      const now = performance.now();
      if (this.firstSignalAt === undefined) {
        this.firstSignalAt = now;
        this.err('\nstopping; press Ctrl-C again to stop at once\n');
        this.stop.abort(new Stop(name, code));
        this.nodeProcess.removeAllListeners('SIGINT');
      } else if (now - this.firstSignalAt > REPEAT_LIMIT) this.nodeProcess.exit(code);
    };
  }

  private outFailed(error: Error): void {
    if (this.broken) return;
    // A write to a closed terminal fails with EIO.
    const isClosed = errorCode(error) === 'EPIPE' || (this.firstSignalAt !== undefined && errorCode(error) === 'EIO');
    if (!isClosed) this.err(`turnwise: standard output: ${reason(error)}\n`);
    this.broken = new Stop('standard output', isClosed ? EXIT.done : EXIT.failed);
    this.stop.abort(this.broken);
  }
}

/** Waits until the text of a stream is written. Resolves to the error of the write. */
async function flushed(stream: NodeJS.WriteStream): Promise<Error | undefined> {
  const error = await new Promise<Error | null | undefined>((resolve) => stream.write('', resolve));
  // Node reports an error of an earlier write by a separate event, before this callback.
  await new Promise((resolve) => setImmediate(resolve));
  return error ?? undefined;
}

/** Part of a process that `endPlainly` uses. */
export interface Failing {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown;
  exit(code: number): void;
}

/**
 * Ends the program with a one-line message after an unhandled error, for example of a library. Node prints its stack
 * instead.
 * @param err writes the message
 */
export function endPlainly(program: Failing, err: (text: string) => void): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    program.on(event, (error) => {
      err(`turnwise: unhandled error: ${error instanceof Error ? error.message : String(error)}\n`);
      program.exit(EXIT.failed);
    });
  }
}
