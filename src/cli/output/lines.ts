import { closeSync, constants, ftruncateSync, openSync } from 'node:fs';
import type { Sink } from './sink.ts';
import { writeAll } from './writeAll.ts';

/** Lines that appear as they come. */
export interface Lines {
  /** @throws where it cannot be written; no line is left half written */
  add(text: string): void;
  /** Resolves when all have gone through. @throws where one could not be written */
  end(): Promise<void>;
  /** Lets go of the file without waiting for anything. */
  close(): void;
}

/**
 * Lines of a plain file, which is written in place and not replaced: who follows it (tail -f) keeps reading the same file.
 * What was in it goes when this begins.
 */
export class FileLines implements Lines {
  private readonly target: number;
  /** Bytes of whole lines. */
  private length = 0;
  private open = true;

  /** @param failed makes the message about an error */
  constructor(
    path: string,
    private readonly failed: (error: unknown) => Error,
    private readonly write: typeof writeAll = writeAll,
  ) {
    try {
      this.target = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND);
      ftruncateSync(this.target);
    } catch (error) {
      throw failed(error);
    }
  }

  add(text: string): void {
    const bytes = Buffer.from(text);
    try {
      this.write(this.target, bytes);
      this.length += bytes.length;
    } catch (error) {
      this.cutBack();
      throw this.failed(error);
    }
  }

  /** Takes the beginning of a line away that did not fit. */
  private cutBack(): void {
    try {
      ftruncateSync(this.target, this.length);
    } catch {
      // The first error is the one to tell.
    }
  }

  async end(): Promise<void> {
    try {
      this.close();
    } catch (error) {
      throw this.failed(error);
    }
  }

  close(): void {
    if (!this.open) return;
    this.open = false;
    closeSync(this.target);
  }
}

/** Lines into a device or a pipe, which may take them later. */
export class SinkLines implements Lines {
  private passed: Promise<void> = Promise.resolve();
  private failure: Error | undefined;

  constructor(
    private readonly sink: Sink,
    private readonly failed: (error: unknown) => Error,
  ) {}

  add(text: string): void {
    if (this.failure) throw this.failure;
    this.passed = this.pass(this.passed, text);
  }

  async end(): Promise<void> {
    await this.passed;
    if (this.failure) throw this.failure;
    await this.sink.end().catch((error) => {
      throw this.failed(error);
    });
  }

  close(): void {
    // Nobody may ever read a pipe; the process ends without waiting.
  }
  private async pass(before: Promise<void>, text: string): Promise<void> {
    await before;
    if (this.failure) return;
    try {
      await this.sink.write(text);
    } catch (error) {
      this.failure = this.failed(error);
    }
  }
}
