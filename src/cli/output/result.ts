import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
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

/** Text of a command that appears completely if the command succeeds, or not at all. */
export interface Result {
  write(text: string): void;
  /** Makes the complete text appear. */
  deliver(): Promise<void>;
  /** Removes the text. Has no effect after `deliver`. */
  discard(): void;
}

/** Minimum length of one write [characters]. */
const CHUNK = 1 << 20;

/** Writer that collects text and writes it to an open file in large pieces. */
class TextFile {
  private pieces: string[] = [];
  private length = 0;
  private isOpen = true;

  constructor(readonly descriptor: number) {}

  write(text: string): void {
    this.pieces.push(text);
    this.length += text.length;
    if (this.length >= CHUNK) this.flush();
  }

  flush(): void {
    const text = this.pieces.join('');
    [this.pieces, this.length] = [[], 0];
    writeFileSync(this.descriptor, text);
  }

  /** Closes the file and discards text that is not flushed. */
  close(): void {
    if (this.isOpen) closeSync(this.descriptor);
    this.isOpen = false;
  }
}

/** Temporary file that replaces another file of its folder at the end. */
export class ReplacedFile implements Result {
  private readonly file: TextFile;
  private isDone = false;

  /**
   * @param path path of the replaced file, whose permissions the new file receives
   * @param unfinished path of the temporary file in the same folder; an earlier file is overwritten
   */
  constructor(
    private readonly path: string,
    private readonly unfinished: string,
  ) {
    this.file = new TextFile(openTemporary(path, unfinished));
  }

  write(text: string): void {
    this.file.write(text);
  }

  /**
   * Replaces the file.
   * @param bytes bytes after the text
   */
  async deliver(bytes?: Uint8Array): Promise<void> {
    this.file.flush();
    if (bytes) writeFileSync(this.file.descriptor, bytes);
    synchronise(this.file.descriptor);
    this.file.close();
    renameSync(this.unfinished, this.path);
    this.isDone = true;
  }

  discard(): void {
    if (this.isDone) return;
    this.file.close();
    rmSync(this.unfinished, { force: true });
  }
}

/** Text that is stored in a temporary file until it is delivered. */
export class WaitingText implements Result {
  private readonly folder: string;
  private readonly file: TextFile;

  /** @param pass receives pieces of the text, in order */
  constructor(private readonly pass: (text: string) => Promise<void> | void) {
    try {
      this.folder = mkdtempSync(join(tmpdir(), 'turnwise-'));
      this.file = new TextFile(openSync(join(this.folder, 'result'), 'wx+'));
    } catch (error) {
      const problem = `the folder for temporary files ${tmpdir()} cannot be written`;
      throw new Error(`${problem} (${reason(error)}); set TMPDIR to another folder`, { cause: error });
    }
    // A file without a name leaves no trace after any end of the process. Windows keeps the name until the file is
    // closed.
    if (process.platform !== 'win32') rmSync(this.folder, { recursive: true });
  }

  write(text: string): void {
    this.file.write(text);
  }

  async deliver(): Promise<void> {
    this.file.flush();
    const decoder = new StringDecoder('utf8');
    const bytes = Buffer.alloc(CHUNK);
    for (let at = 0, read = -1; read !== 0; at += read) {
      read = readSync(this.file.descriptor, bytes, 0, CHUNK, at);
      if (read > 0) await this.pass(decoder.write(bytes.subarray(0, read)));
    }
    this.discard();
  }

  discard(): void {
    this.file.close();
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
