import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { EXIT, errorCode, reason, Stop, UsageError } from '../framework/errors.ts';
import type { NamedFile } from '../framework/inputs.ts';
import type { Terminal } from '../framework/terminal.ts';
import { acquireLock, findIdentity, findOutput, type OutputPath } from './outputFiles.ts';
import { Lines, ReplacedFile, type Result, WaitingText } from './result.ts';

/** File that a command writes. It is checked and locked before the work of the command begins. */
export interface Output {
  /** Name of the file on the command line. */
  readonly file: string;
  /**
   * Replaces the content. The file changes completely or not at all. Repeated calls are allowed.
   * @throws if the file cannot be written; the data are then in another file, whose path is in the message
   */
  write(data: string | ArrayBuffer): Promise<void>;
  /** Opens a text whose pieces appear together at the end, or not at all. */
  result(): Result;
  /**
   * Empties the file and opens it for lines that are visible immediately, for readers that follow the file.
   * @returns function that writes lines; after a failed write, the file ends with the last complete line
   */
  lines(): (text: string) => void;
}

interface Options<Requested> {
  /** Files that the command reads and the command line does not name. */
  readonly inputs?: readonly NamedFile[];
  /** Flag that names all outputs. Absent if each output has its own flag. */
  readonly flag?: string;
  /** Inputs that an output may replace, by the flag of the output. */
  readonly continues?: { readonly [Flag in keyof Requested]?: string | undefined };
  /** Outputs that the command reads again. They must be regular files. */
  readonly rereadOutputs?: readonly (keyof Requested)[];
}

type Opened<Requested> = {
  readonly [Name in keyof Requested]: Requested[Name] extends string ? Output : Output | undefined;
};

/**
 * Runs the work of a command that writes files. First it checks and locks the outputs. It rejects a file that cannot be
 * written, is named twice, is an input, or is being written by another process. Inputs are all files that the command
 * line names, except the values of output flags.
 * @param requested files by their flags
 * @throws {UsageError} with the flag and the file
 */
export async function withOutputs<Requested extends Readonly<Record<string, string | undefined>>, Outcome>(
  terminal: Pick<Terminal, 'signal' | 'files'>,
  requested: Requested,
  { inputs = [], flag, continues = {}, rereadOutputs = [] }: Options<Requested>,
  work: (outputs: Opened<Requested>) => Promise<Outcome>,
): Promise<Outcome> {
  const opened = new Map<string, OutputFile>();
  const named = (terminal.files ?? []).filter(({ by = '' }) => by !== flag && !Object.hasOwn(requested, by));
  try {
    for (const [name, file] of Object.entries(requested)) {
      if (file === undefined) continue;
      const label = `--${flag ?? name}`;
      const target = naming(label, () => findOutput(file));
      if (target.kind !== 'file' && rereadOutputs.includes(name)) {
        throw new UsageError(`${label}: ${file} is not a regular file; it must be one, because it is read again`);
      }
      refuseInput(label, file, target, [...named, ...inputs], continues[name]);
      for (const output of opened.values()) {
        const shared = target.kind === 'file' && output.target.identity === target.identity;
        if (shared) throw new UsageError(`${label}: ${file} is also the file of ${output.flag}`);
      }
      opened.set(name, new OutputFile(label, file, target));
    }
    return await work(Object.fromEntries(opened) as unknown as Opened<Requested>);
  } finally {
    for (const output of opened.values()) output.close();
  }
}

/**
 * Returns true for a regular file, whose folder can have further files, and false for a device or an open file.
 * @throws {UsageError} with the flag and the file if the file cannot be written
 */
export const isPlainFile = (flag: string, file: string): boolean =>
  naming(`--${flag}`, () => findOutput(file)).kind === 'file';

/** Calls `act` and adds the name of the flag to its error. */
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
    const inputIdentity = findIdentity(input === '-' ? 0 : input);
    const source = by === undefined ? '' : ` (--${by})`;
    if (inputIdentity === identity) throw new UsageError(`${flag}: ${file} is also an input of this command${source}`);
  }
  for (const [standard, name] of ['standard output', 'standard error'].entries()) {
    if (findIdentity(standard + 1) === identity) {
      throw new UsageError(`${flag}: ${file} is also the file of ${name}`);
    }
  }
}

/** Open outputs. Their locks and unfinished files are removed when the process ends. */
const OPEN = new Set<OutputFile>();
let isWatched = false;

class OutputFile implements Output {
  /** Path of the unfinished file. */
  private readonly unfinished: string;
  private readonly unlock: () => void;
  private unfinishedResult: Result | undefined;
  private openLines: Lines | undefined;

  /** @throws {UsageError} if the file cannot be written, or if another process writes it */
  constructor(
    readonly flag: string,
    readonly file: string,
    readonly target: OutputPath,
  ) {
    this.unfinished = appendSuffix(target.path, '.turnwise-part');
    this.unlock = target.kind === 'file' ? this.lock(appendSuffix(target.path, '.turnwise-lock')) : () => {};
    OPEN.add(this);
    if (!isWatched) process.on('exit', closeAll);
    isWatched = true;
  }

  async write(data: string | ArrayBuffer): Promise<void> {
    const bytes = typeof data === 'string' ? Buffer.from(data) : new Uint8Array(data);
    const { kind, path } = this.target;
    try {
      if (kind === 'stream') return appendFileSync(path, bytes);
      const result = new ReplacedFile(path, this.unfinished);
      await result.deliver(bytes).finally(() => result.discard());
    } catch (error) {
      throw this.failed(error, () => saveElsewhere(this.file, bytes));
    }
  }

  result(): Result {
    const { kind, path } = this.target;
    const result = this.attempt(() =>
      kind === 'file' ? new ReplacedFile(path, this.unfinished) : new WaitingText((text) => appendFileSync(path, text)),
    );
    this.unfinishedResult = result;
    return {
      write: (text) => this.attempt(() => result.write(text)),
      deliver: () =>
        result.deliver().catch((error) => {
          throw this.failed(error);
        }),
      discard: () => result.discard(),
    };
  }

  lines(): (text: string) => void {
    const lines = this.attempt(() => new Lines(this.target.path, this.target.kind === 'file'));
    this.openLines = lines;
    return (text) => this.attempt(() => lines.add(text));
  }

  /** Releases the lock and removes the unfinished file. */
  close(): void {
    if (!OPEN.delete(this)) return;
    this.unfinishedResult?.discard();
    this.openLines?.close();
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

  private attempt<Outcome>(act: () => Outcome): Outcome {
    try {
      return act();
    } catch (error) {
      throw this.failed(error);
    }
  }

  /**
   * Creates the error of a failed write.
   * @param save saves the data elsewhere and returns the end of the message; not called if a reader closed the pipe
   */
  private failed(error: unknown, save: () => string = () => ''): Error {
    if (errorCode(error) === 'EPIPE') return new Stop(`the reader of ${this.file} closed it`, EXIT.done);
    return new Error(`${this.flag}: ${this.file} cannot be written (${reason(error)})${save()}`, { cause: error });
  }
}

function closeAll(): void {
  for (const output of OPEN) output.close();
}

/** Maximum length of a file name in all file systems [bytes]. */
const LONGEST_NAME = 255;

/** Returns the path of a file next to an output. A name that would be too long is replaced by its digest. */
function appendSuffix(path: string, suffix: string): string {
  const name = basename(path) + suffix;
  if (Buffer.byteLength(name) <= LONGEST_NAME) return join(dirname(path), name);
  const digest = createHash('sha256').update(basename(path)).digest('hex').slice(0, 16);
  return join(dirname(path), `.${digest}${suffix}`);
}

/**
 * Saves data in another folder after a failed write, because the data can be the result of hours.
 * @returns the end of the error message, with the path
 */
function saveElsewhere(file: string, bytes: Uint8Array): string {
  const reasons: string[] = [];
  for (const parentFolder of [tmpdir(), homedir()]) {
    let folder: string | undefined;
    try {
      folder = mkdtempSync(join(parentFolder, 'turnwise-rescued-'));
      const path = join(folder, basename(file));
      writeFileSync(path, bytes, { flush: true });
      return `; the content is in ${path}`;
    } catch (error) {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      reasons.push(`${parentFolder}: ${reason(error)}`);
    }
  }
  return `; saving the content elsewhere failed too (${reasons.join('; ')})`;
}
