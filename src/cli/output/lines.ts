import { closeSync, constants, ftruncateSync, openSync, writeFileSync } from 'node:fs';

/** Lines that are visible immediately. The file is written in place, so that `tail -f` follows it. */
export class Lines {
  private readonly target: number;
  /** Length of the complete lines [bytes]. */
  private length = 0;
  private isOpen = true;

  /**
   * Opens an output and empties it if it is a file. A stream retains its content.
   * @param isFile true if an incomplete line can be removed again
   * @param failed creates the error of a failed write
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

  /**
   * Writes lines.
   * @throws if the write fails; a file then ends with the last complete line
   */
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
      // The caller reports the error of the write.
    }
  }
}
