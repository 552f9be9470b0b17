import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { errorCode, Interrupted, reason } from '../framework/errors.ts';
import type { Terminal } from '../framework/terminal.ts';

/** Minimum length of one write [characters]. */
const CHUNK = 1 << 20;

/** Text of a command that appears completely if the command succeeds, or not at all. */
export interface Result {
  write(text: string): void;
  /** Makes the complete text appear. */
  deliver(): Promise<void>;
  /** Removes the text. Has no effect after `deliver`. */
  discard(): void;
}

/** Temporary file that receives a text in large pieces. */
abstract class TemporaryFile implements Result {
  private text = '';
  private isOpen = true;

  constructor(protected readonly descriptor: number) {}

  write(text: string): void {
    this.text += text;
    if (this.text.length >= CHUNK) this.flush();
  }

  abstract deliver(): Promise<void>;
  abstract discard(): void;

  protected flush(): void {
    const { text } = this;
    this.text = '';
    writeFileSync(this.descriptor, text);
  }

  protected close(): void {
    if (this.isOpen) closeSync(this.descriptor);
    this.isOpen = false;
  }
}

/** Temporary file that replaces another file of its folder at the end. */
export class ReplacedFile extends TemporaryFile {
  private isDone = false;

  /**
   * @param path path of the replaced file, whose permissions the new file receives
   * @param unfinished path of the temporary file in the same folder; an earlier file is overwritten
   */
  constructor(
    private readonly path: string,
    private readonly unfinished: string,
  ) {
    super(openTemporary(path, unfinished));
  }

  /**
   * Replaces the file.
   * @param bytes bytes after the text
   */
  async deliver(bytes?: Uint8Array): Promise<void> {
    this.flush();
    if (bytes) writeFileSync(this.descriptor, bytes);
    synchronise(this.descriptor);
    this.close();
    renameSync(this.unfinished, this.path);
    this.isDone = true;
  }

  discard(): void {
    if (this.isDone) return;
    this.close();
    rmSync(this.unfinished, { force: true });
  }
}

/** Text that is stored in a temporary file until it is delivered. */
export class WaitingText extends TemporaryFile {
  private readonly folder: string;

  /** @param pass receives pieces of the text, in order */
  constructor(private readonly pass: (text: string) => Promise<void> | void) {
    const { folder, descriptor } = temporaryText();
    super(descriptor);
    this.folder = folder;
  }

  async deliver(): Promise<void> {
    this.flush();
    const decoder = new StringDecoder('utf8');
    const bytes = Buffer.alloc(CHUNK);
    for (let at = 0, read = -1; read !== 0; at += read) {
      read = readSync(this.descriptor, bytes, 0, CHUNK, at);
      if (read > 0) await this.pass(decoder.write(bytes.subarray(0, read)));
    }
    this.discard();
  }

  discard(): void {
    this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * Opens the result of a command: the file of `--out`, or standard output.
 * @param output the opened file (`withOutputs`)
 */
export function openResult(terminal: Terminal, output?: { result(): Result }): Result {
  if (output) return output.result();
  return new WaitingText(async (text) => {
    if (terminal.signal.aborted) throw new Interrupted();
    terminal.out(text);
    await terminal.drained();
  });
}

function temporaryText(): { readonly folder: string; readonly descriptor: number } {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'turnwise-'));
    const descriptor = openSync(join(folder, 'result'), 'wx+');
    // A file without a name leaves no trace after any end of the process. Windows keeps the name until the file is
    // closed.
    if (process.platform !== 'win32') rmSync(folder, { recursive: true });
    return { folder, descriptor };
  } catch (error) {
    const problem = `the folder for temporary files ${tmpdir()} cannot be written`;
    throw new Error(`${problem} (${reason(error)}); set TMPDIR to another folder`, { cause: error });
  }
}

/** Opens the temporary file with the permissions of the file that it replaces. */
function openTemporary(path: string, unfinished: string): number {
  const old = statSync(path, { throwIfNoEntry: false });
  rmSync(unfinished, { force: true });
  const target = openSync(unfinished, 'wx', old ? old.mode & 0o777 : 0o666);
  if (!old) return target;
  try {
    // Only root can change owners. Other users already own the file.
    if (process.getuid?.() === 0) fchownSync(target, old.uid, old.gid);
    fchmodSync(target, old.mode & 0o7777);
  } catch {
    // Some file systems have no permissions. The write continues without them.
  }
  return target;
}

/** Waits until the file is on its disk. Some systems report a full disk only here. */
function synchronise(target: number): void {
  try {
    fsyncSync(target);
  } catch (error) {
    // Some file systems do not support fsync.
    if (!['EINVAL', 'ENOTSUP', 'ENOSYS'].includes(errorCode(error) ?? '')) throw error;
  }
}

/** Lines that are visible immediately. The file is written in place, so that `tail -f` follows it. */
export class Lines {
  private readonly target: number;
  /** Length of the complete lines [bytes]. */
  private length = 0;

  /**
   * Opens an output and empties it if it is a file. A stream retains its content.
   * @param isFile true if an incomplete line can be removed again
   */
  constructor(
    path: string,
    private readonly isFile: boolean,
  ) {
    this.target = openSync(path, constants.O_WRONLY | constants.O_APPEND | (isFile ? constants.O_CREAT : 0));
    if (isFile) ftruncateSync(this.target);
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
      if (this.isFile) this.removeHalfLine();
      throw error;
    }
  }

  private removeHalfLine(): void {
    try {
      ftruncateSync(this.target, this.length);
    } catch {
      // The caller reports the error of the write.
    }
  }

  close(): void {
    closeSync(this.target);
  }
}
