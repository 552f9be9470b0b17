import { closeSync, mkdtempSync, openSync, read, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { promisify } from 'node:util';
import { Interrupted, reason } from '../framework/errors.ts';
import type { Terminal } from '../framework/terminal.ts';
import { writeAll } from './writeAll.ts';

/** Text of a command that is delivered as a whole, when everything went well, or not at all. */
export interface Result {
  write(text: string): void;
  /** Lets everything through that was written. */
  deliver(): Promise<void>;
  /** Leaves nothing behind; does nothing after `deliver`. */
  discard(): void;
}

/** Characters that wait in memory before they go to a temporary file. */
const KEPT = 8 << 20;
/** Characters that go to a file or on standard output at once. */
const CHUNK = 1 << 20;

/**
 * Where a command's result goes: to standard output, or to the file that --out names.
 * @param output the file, tried and locked (`withOutputs`)
 */
export function openResult(terminal: Terminal, output?: { result(): Result }): Result {
  if (output) return output.result();
  return new Spool(async (text) => {
    if (terminal.signal.aborted) throw new Interrupted();
    terminal.out(text);
    await terminal.drained();
  });
}

/** Text that waits, in memory and beyond some size in a temporary file, until it may pass on. */
export class Spool implements Result {
  private waiting: string[] = [];
  private length = 0;
  private overflow: TextFile | undefined;

  /**
   * @param pass takes the text on, piece by piece
   * @param end is called after the last piece
   * @param kept characters that may wait in memory
   */
  constructor(
    private readonly pass: (text: string) => Promise<void>,
    private readonly end: () => Promise<void> = async () => {},
    private readonly kept = KEPT,
  ) {}

  write(text: string): void {
    this.waiting.push(text);
    this.length += text.length;
    if (!this.overflow && this.length <= this.kept) return;
    temporarily(() => {
      this.overflow ??= temporaryFile();
      for (const piece of this.waiting) this.overflow.write(piece);
    });
    this.waiting = [];
  }

  async deliver(): Promise<void> {
    try {
      if (this.overflow) {
        const file = this.overflow;
        temporarily(() => file.flush());
        for await (const text of piecesOf(file.descriptor)) await this.pass(text);
      } else if (this.length > 0) await this.pass(this.waiting.join(''));
      await this.end();
    } finally {
      this.discard();
    }
  }

  discard(): void {
    this.waiting = [];
    this.length = 0;
    this.overflow?.abandon();
    this.overflow = undefined;
  }
}

const readSome = promisify(read);

/** The text of an open file, in pieces. A stream would close the descriptor of others where its reader leaves early. */
async function* piecesOf(descriptor: number): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  const bytes = Buffer.alloc(CHUNK);
  for (let at = 0; ; ) {
    const { bytesRead } = await readSome(descriptor, bytes, 0, CHUNK, at);
    if (bytesRead === 0) break;
    at += bytesRead;
    yield decoder.write(bytes.subarray(0, bytesRead));
  }
}

/** A file that has no name any more while it is in use, so that nothing is left however the process ends. */
function temporaryFile(): TextFile {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const file = new TextFile(openSync(join(folder, 'result'), 'w+'), remove);
  try {
    remove();
  } catch {
    // Windows keeps the name of an open file; it goes when the file is closed.
  }
  return file;
}

/** Does something with the temporary file; what goes wrong says which folder it is about. */
function temporarily<Outcome>(act: () => Outcome): Outcome {
  try {
    return act();
  } catch (error) {
    const problem = `a large result waits in the folder for temporary files, and ${tmpdir()} cannot be written`;
    throw new Error(`${problem} (${reason(error)}); TMPDIR can name another`, { cause: error });
  }
}

/** Text on its way to a file, in large pieces. */
export class TextFile {
  private pieces: string[] = [];
  private length = 0;
  private open = true;

  /** @param remove removes the file again, called when it is closed */
  constructor(
    readonly descriptor: number,
    private readonly remove: () => void = () => {},
  ) {}

  write(text: string): void {
    this.pieces.push(text);
    this.length += text.length;
    if (this.length >= CHUNK) this.flush();
  }

  flush(): void {
    const bytes = Buffer.from(this.pieces.join(''));
    this.pieces = [];
    this.length = 0;
    writeAll(this.descriptor, bytes);
  }

  close(): void {
    this.flush();
    this.abandon();
  }

  /** Closes it without what is still waiting. */
  abandon(): void {
    if (!this.open) return;
    this.open = false;
    closeSync(this.descriptor);
    this.remove();
  }
}
