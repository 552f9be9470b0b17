import { closeSync, constants, ftruncateSync, openSync, writeFileSync } from 'node:fs';

/** Lines that appear at once. A file is written in place, so that `tail -f` follows it. */
export class Lines {
  private readonly target: number;
  /** Bytes of whole lines. */
  private length = 0;
  private isOpen = true;

  /**
   * Empties a file. A stream keeps what it has.
   * @param isFile whether the end of a line that does not fit can be removed again
   * @param failed makes the error of a failed write
   */
  constructor(
    path: string,
    private readonly isFile: boolean,
    private readonly failed: (error: unknown) => Error,
  ) {
    try {
      this.target = openSync(path, constants.O_WRONLY | constants.O_APPEND | (isFile ? constants.O_CREAT : 0));
      if (isFile) ftruncateSync(this.target);
    } catch (error) {
      throw failed(error);
    }
  }

  /** @throws if it cannot be written; a file then ends with the last whole line */
  add(text: string): void {
    try {
      writeFileSync(this.target, text);
      this.length += Buffer.byteLength(text);
    } catch (error) {
      this.removeHalfLine();
      throw this.failed(error);
    }
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    closeSync(this.target);
  }

  private removeHalfLine(): void {
    try {
      if (this.isFile) ftruncateSync(this.target, this.length);
    } catch {
      // The first error is the one to report.
    }
  }
}
