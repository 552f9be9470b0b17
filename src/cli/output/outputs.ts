import { createHash } from 'node:crypto';
import { fstatSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { reason, UsageError } from '../framework/errors.ts';
import type { NamedFile } from '../framework/namedFiles.ts';
import type { Terminal } from '../framework/terminal.ts';
import { FileLines, type Lines, SinkLines } from './lines.ts';
import { takeLock } from './outputLock.ts';
import { findOutput, identityOfInput, type OutputPath } from './outputPath.ts';
import { rescued } from './rescue.ts';
import { openSink } from './sink.ts';
import { type Result, Spool } from './spool.ts';
import { replaceFile, WholeFile } from './wholeFile.ts';

/** A file that a command writes, tried and locked before the command's work began. */
export interface Output {
  /** As it was named. */
  readonly file: string;
  /**
   * Makes this its content: a file is replaced as a whole, or stays as it was. May be called again.
   * @throws where it cannot be written; what was to go there is then kept elsewhere, and the message says where
   */
  write(data: string | ArrayBuffer): Promise<void>;
  /** Takes text in pieces that appear together, at the end, or never. */
  result(): Result;
  /** Takes lines that appear at once, so that they can be followed; empties the file first. */
  lines(): Lines;
}

interface Options<Wanted> {
  /** Files that are read without being named on the command line. */
  readonly inputs?: readonly NamedFile[];
  /** The one flag that names all of them, where it does. */
  readonly flag?: string;
  /** Inputs that an output may take the place of, by the output's flag. */
  readonly continues?: { readonly [Flag in keyof Wanted]?: string | undefined };
  /** Those that are read again some day and so must be plain files. */
  readonly readAgain?: readonly (keyof Wanted)[];
}

type Opened<Wanted> = {
  readonly [Name in keyof Wanted]: Wanted[Name] extends string ? Output : Output | undefined;
};

/**
 * Does the work of a command that writes files. They are tried and locked first: a file that cannot be written, is named
 * twice, is being written by another process or is an input is refused before anything is done. Inputs are all files that
 * the command line names, but by the flags of outputs.
 * @param wanted files by their flags
 * @throws {UsageError} naming flag and file
 */
export async function withOutputs<Wanted extends Readonly<Record<string, string | undefined>>, Outcome>(
  terminal: Pick<Terminal, 'signal' | 'files'>,
  wanted: Wanted,
  { inputs = [], flag, continues = {}, readAgain = [] }: Options<Wanted>,
  work: (outputs: Opened<Wanted>) => Promise<Outcome>,
): Promise<Outcome> {
  const opened = new Map<string, OutputFile>();
  const named = (terminal.files ?? []).filter(({ by = '' }) => by !== flag && !Object.hasOwn(wanted, by));
  try {
    for (const [name, file] of Object.entries(wanted)) {
      if (file === undefined) continue;
      const shown = `--${flag ?? name}`;
      const place = naming(shown, () => findOutput(file));
      if (place.kind !== 'file' && readAgain.includes(name)) {
        throw new UsageError(`${shown}: ${file} is no plain file; it is read again, so it must be one`);
      }
      refuseInput(shown, file, place, [...named, ...inputs], continues[name]);
      for (const other of opened.values()) {
        const shared = place.kind !== 'device' && other.place.identity === place.identity;
        if (shared) throw new UsageError(`${shown}: ${file} is the file of ${other.flag} too`);
      }
      opened.set(name, new OutputFile(shown, file, place, terminal.signal));
    }
    return await work(Object.fromEntries(opened) as unknown as Opened<Wanted>);
  } finally {
    for (const output of opened.values()) output.close();
  }
}

/**
 * Whether an output is a plain file, beside which another can stand; a device or a pipe is not.
 * @throws {UsageError} naming flag and file, where it cannot be written
 */
export const isPlainFile = (flag: string, file: string): boolean =>
  naming(`--${flag}`, () => findOutput(file)).kind === 'file';

/** Puts the flag's name before what is wrong with its file. */
function naming<Result>(flag: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw new UsageError(`${flag}: ${(error as Error).message}`);
  }
}

function refuseInput(
  flag: string,
  file: string,
  { kind, identity }: OutputPath,
  inputs: readonly NamedFile[],
  continued: string | undefined,
): void {
  if (kind !== 'file') return;
  for (const { by, file: input } of inputs) {
    if (input === continued) continue;
    const other = input === '-' ? identityOfStandard(0) : identityOfInput(input);
    const source = by === undefined ? '' : ` (--${by})`;
    if (other === identity) throw new UsageError(`${flag}: ${file} is an input of this command too${source}`);
  }
  for (const [standard, name] of ['standard output', 'standard error'].entries()) {
    if (identityOfStandard(standard + 1) === identity) {
      throw new UsageError(`${flag}: ${file} is where ${name} goes too`);
    }
  }
}

/** The file behind standard input (0), output (1) or error (2). */
function identityOfStandard(descriptor: number): string | undefined {
  try {
    const { dev, ino } = fstatSync(descriptor, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** Outputs that are open, whose locks and unfinished files go when the process ends. */
const OPEN = new Set<OutputFile>();
let watched = false;

/** Bytes that the name of a file may have everywhere. */
const LONGEST = 255;

class OutputFile implements Output {
  /** The unfinished file, beside the one that it will be. */
  private readonly unfinished: string;
  private readonly unlock: () => void;
  private unfinishedResult: Result | undefined;

  /** @throws {UsageError} where it cannot be written, or is being written by another process */
  constructor(
    readonly flag: string,
    readonly file: string,
    readonly place: OutputPath,
    private readonly signal: AbortSignal,
  ) {
    const folder = dirname(place.path);
    const name = basename(place.path);
    this.unfinished = join(folder, besides(name, `.turnwise-${process.pid}.part`));
    this.unlock = place.kind === 'file' ? this.lock(join(folder, besides(name, '.turnwise-lock'))) : () => {};
    OPEN.add(this);
    if (!watched) process.on('exit', () => closeAll());
    watched = true;
  }

  async write(data: string | ArrayBuffer): Promise<void> {
    const bytes = typeof data === 'string' ? Buffer.from(data) : new Uint8Array(data);
    try {
      if (this.place.kind === 'file') {
        replaceFile(this.place.path, this.unfinished, bytes);
        return;
      }
      const sink = openSink(this.place, this.signal);
      await sink.write(bytes);
      await sink.end();
    } catch (error) {
      throw this.failed(error, rescued(this.file, bytes));
    }
  }

  result(): Result {
    const failed = (error: unknown) => this.failed(error);
    if (this.place.kind === 'file') {
      this.unfinishedResult = new WholeFile(this.place.path, this.unfinished, failed);
      return this.unfinishedResult;
    }
    const sink = openSink(this.place, this.signal);
    const told = (error: unknown) => {
      throw failed(error);
    };
    return new Spool(
      (text) => sink.write(text).catch(told),
      () => sink.end().catch(told),
    );
  }

  lines(): Lines {
    const failed = (error: unknown) => this.failed(error);
    if (this.place.kind === 'file') return new FileLines(this.place.path, failed);
    return new SinkLines(openSink(this.place, this.signal), failed);
  }

  /** Leaves nothing beside the file. */
  close(): void {
    if (!OPEN.delete(this)) return;
    this.unfinishedResult?.discard();
    this.unlock();
  }

  private lock(path: string): () => void {
    const name = basename(this.place.path);
    try {
      if (Buffer.byteLength(name) > LONGEST) throw new Error('name too long');
      const unlock = takeLock(path, this.file);
      removeLeftovers(dirname(path), besides(name, '.turnwise-'));
      return unlock;
    } catch (error) {
      if (error instanceof UsageError) throw new UsageError(`${this.flag}: ${error.message}`);
      throw new UsageError(`${this.flag}: ${this.file} cannot be written (${reason(error)})`);
    }
  }

  private failed(error: unknown, further = ''): Error {
    // A reader that went away and Ctrl-C are no failures.
    if (!(error instanceof Error) || ['Stop', 'Interrupted'].includes(error.name)) return error as Error;
    return new Error(`${this.flag}: ${this.file} cannot be written (${reason(error)})${further}`, { cause: error });
  }
}

function closeAll(): void {
  for (const output of OPEN) output.close();
}

/** The name of a file that belongs to another; long names are cut, so that it is none that a system refuses. */
function besides(name: string, ending: string): string {
  if (Buffer.byteLength(name) + ending.length <= LONGEST) return name + ending;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return `${[...name].slice(0, 40).join('')}~${digest}${ending}`;
}

/** Removes unfinished files of processes that were killed: whoever holds the lock is the only one who writes. */
function removeLeftovers(folder: string, beginning: string): void {
  const left = readdirSync(folder).filter(
    (name) => name.startsWith(beginning) && /^\d+\.part$/.test(name.slice(beginning.length)),
  );
  for (const name of left) rmSync(join(folder, name), { force: true });
}
