import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { EXIT, errorCode, reason, Stop, UsageError } from '../framework/errors.ts';
import type { NamedFile } from '../framework/namedFiles.ts';
import type { Terminal } from '../framework/terminal.ts';
import { Lines } from './lines.ts';
import { acquireLock } from './lock.ts';
import { findOutput, identityOfInput, identityOfStandard, type OutputPath } from './outputPath.ts';
import { ReplacedFile, type Result, WaitingText } from './result.ts';

/** A file that a command writes, checked and locked before the work of the command begins. */
export interface Output {
  /** Name on the command line. */
  readonly file: string;
  /**
   * Replaces the content: a file changes as a whole, or stays as it was. May be called again.
   * @throws if the file cannot be written; the data are then in another file, which the message names
   */
  write(data: string | ArrayBuffer): Promise<void>;
  /** Text in pieces that appear together, at the end, or never. */
  result(): Result;
  /** Lines that appear at once, so that they can be followed; empties the file first. */
  lines(): Lines;
}

interface Options<Wanted> {
  /** Files that are read without being named on the command line. */
  readonly inputs?: readonly NamedFile[];
  /** The one flag that names all of them, where it does. */
  readonly flag?: string;
  /** Inputs that an output may take the place of, by the output's flag. */
  readonly continues?: { readonly [Flag in keyof Wanted]?: string | undefined };
  /** Outputs that are read again later and so must be plain files. */
  readonly readAgain?: readonly (keyof Wanted)[];
}

type Opened<Wanted> = {
  readonly [Name in keyof Wanted]: Wanted[Name] extends string ? Output : Output | undefined;
};

/**
 * Does the work of a command that writes files. They are tried and locked first: a file that cannot be written, is named
 * twice, is being written by another process or is an input is refused before anything is done. Inputs are all files that
 * the command line names, but by the flags of outputs.
 * @param requested files by their flags
 * @throws {UsageError} naming flag and file
 */
export async function withOutputs<Wanted extends Readonly<Record<string, string | undefined>>, Outcome>(
  terminal: Pick<Terminal, 'signal' | 'files'>,
  requested: Wanted,
  { inputs = [], flag, continues = {}, readAgain = [] }: Options<Wanted>,
  work: (outputs: Opened<Wanted>) => Promise<Outcome>,
): Promise<Outcome> {
  const opened = new Map<string, OutputFile>();
  const named = (terminal.files ?? []).filter(({ by = '' }) => by !== flag && !Object.hasOwn(requested, by));
  try {
    for (const [name, file] of Object.entries(requested)) {
      if (file === undefined) continue;
      const label = `--${flag ?? name}`;
      const place = naming(label, () => findOutput(file));
      if (place.kind !== 'file' && readAgain.includes(name)) {
        throw new UsageError(`${label}: ${file} is no plain file; it is read again, so it must be one`);
      }
      refuseInput(label, file, place, [...named, ...inputs], continues[name]);
      for (const output of opened.values()) {
        const shared = place.kind === 'file' && output.place.identity === place.identity;
        if (shared) throw new UsageError(`${label}: ${file} is the file of ${output.flag} too`);
      }
      opened.set(name, new OutputFile(label, file, place));
    }
    return await work(Object.fromEntries(opened) as unknown as Opened<Wanted>);
  } finally {
    for (const output of opened.values()) output.close();
  }
}

/**
 * True for a plain file, which has room for another file in its folder, and false for a device or an open file.
 * @throws {UsageError} naming flag and file, if it cannot be written
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
    const inputIdentity = input === '-' ? identityOfStandard(0) : identityOfInput(input);
    const source = by === undefined ? '' : ` (--${by})`;
    if (inputIdentity === identity) throw new UsageError(`${flag}: ${file} is an input of this command too${source}`);
  }
  for (const [standard, name] of ['standard output', 'standard error'].entries()) {
    if (identityOfStandard(standard + 1) === identity) {
      throw new UsageError(`${flag}: ${file} is where ${name} goes too`);
    }
  }
}

/** Open outputs, whose locks and unfinished files are removed when the process ends. */
const OPEN = new Set<OutputFile>();
let isWatched = false;

class OutputFile implements Output {
  /** Path of the unfinished file. */
  private readonly unfinished: string;
  private readonly unlock: () => void;
  private unfinishedResult: Result | undefined;

  /** @throws {UsageError} if it cannot be written, or another process writes it */
  constructor(
    readonly flag: string,
    readonly file: string,
    readonly place: OutputPath,
  ) {
    this.unfinished = appendSuffix(place.path, '.turnwise-part');
    this.unlock = place.kind === 'file' ? this.lock(appendSuffix(place.path, '.turnwise-lock')) : () => {};
    OPEN.add(this);
    if (!isWatched) process.on('exit', closeAll);
    isWatched = true;
  }

  async write(data: string | ArrayBuffer): Promise<void> {
    const bytes = typeof data === 'string' ? Buffer.from(data) : new Uint8Array(data);
    try {
      if (this.place.kind === 'stream') appendFileSync(this.place.path, bytes);
      else await replaceFile(this.place.path, this.unfinished, bytes);
    } catch (error) {
      throw this.failed(error, () => saveElsewhere(this.file, bytes));
    }
  }

  result(): Result {
    const { kind, path } = this.place;
    const result = this.tried(() =>
      kind === 'file' ? new ReplacedFile(path, this.unfinished) : new WaitingText((text) => appendFileSync(path, text)),
    );
    this.unfinishedResult = result;
    return {
      write: (text) => this.tried(() => result.write(text)),
      deliver: () =>
        result.deliver().catch((error) => {
          throw this.failed(error);
        }),
      discard: () => result.discard(),
    };
  }

  lines(): Lines {
    return new Lines(this.place.path, this.place.kind === 'file', (error) => this.failed(error));
  }

  /** Removes everything but the file. */
  close(): void {
    if (!OPEN.delete(this)) return;
    this.unfinishedResult?.discard();
    this.unlock();
  }

  private lock(path: string): () => void {
    try {
      return acquireLock(path, this.file);
    } catch (error) {
      if (error instanceof UsageError) throw new UsageError(`${this.flag}: ${error.message}`);
      throw new UsageError(`${this.flag}: ${this.file} cannot be written (${reason(error)})`);
    }
  }

  private tried<Outcome>(act: () => Outcome): Outcome {
    try {
      return act();
    } catch (error) {
      throw this.failed(error);
    }
  }

  /** @param save saves the data elsewhere and returns the end of the message; a reader that left needs no data */
  private failed(error: unknown, save: () => string = () => ''): Error {
    if (errorCode(error) === 'EPIPE') return new Stop(`the reader of ${this.file} has left`, EXIT.done);
    return new Error(`${this.flag}: ${this.file} cannot be written (${reason(error)})${save()}`, { cause: error });
  }
}

function closeAll(): void {
  for (const output of OPEN) output.close();
}

/** Makes a file from bytes as a whole, or leaves it as it was. */
async function replaceFile(path: string, unfinished: string, bytes: Uint8Array): Promise<void> {
  const file = new ReplacedFile(path, unfinished);
  try {
    await file.deliver(bytes);
  } finally {
    file.discard();
  }
}

/** Bytes that the name of a file can have in all file systems. */
const LONGEST_NAME = 255;

/** Path of a file in the folder of an output. A name that would be too long is replaced by its digest. */
function appendSuffix(path: string, suffix: string): string {
  const name = basename(path) + suffix;
  if (Buffer.byteLength(name) <= LONGEST_NAME) return join(dirname(path), name);
  const digest = createHash('sha256').update(basename(path)).digest('hex').slice(0, 16);
  return join(dirname(path), `.${digest}${suffix}`);
}

/**
 * Saves data that could not be written to their file, since they may be the work of hours.
 * @returns the end of the error message, with the path
 */
function saveElsewhere(file: string, bytes: Uint8Array): string {
  const reasons: string[] = [];
  for (const place of [tmpdir(), homedir()]) {
    let folder: string | undefined;
    try {
      folder = mkdtempSync(join(place, 'turnwise-rescued-'));
      const path = join(folder, basename(file));
      writeFileSync(path, bytes, { flush: true });
      return `; it is in ${path} instead`;
    } catch (error) {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      reasons.push(`${place}: ${reason(error)}`);
    }
  }
  return `, nor anywhere else (${reasons.join('; ')})`;
}
