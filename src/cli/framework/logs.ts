import { existsSync, readdirSync, statSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeSource } from '@turnwise/python-sandbox/host/node';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import { MAX_SOURCE_LENGTH } from '../../credit/rules/custom/customRule.ts';
import { TurnScores } from '../../customRules/turnScores.ts';
import type { Group } from '../../rollouts/forest.ts';
import { type ImportContext, importLog } from '../../rollouts/import/importLog.ts';
import type { LogFile } from '../../rollouts/import/logFile.ts';
import {
  annotationChunks,
  annotationsFolder,
  isChunk,
  joinParts,
  type LogPath,
  logsInFolder,
} from '../../rollouts/import/logPaths.ts';
import { type OpenFile, openLog } from '../../rollouts/import/openLog.ts';
import type { LogFormat } from '../../rollouts/import/rollout.ts';
import { ImportError } from '../../rollouts/import/row.ts';
import { Interrupted, reason, UsageError, unreadable } from './errors.ts';
import { readTextFile, textOf } from './inputs.ts';
import { show } from './policyFiles.ts';
import type { Terminal } from './terminal.ts';
import { EventLoopYield } from './terminal.ts';

/**
 * Returns the logs that the operands name. For a folder, it returns all logs in the folder and in its subfolders.
 * @throws {UsageError} for a file that cannot be read twice, and for a folder without a log
 */
export function logFiles(operands: readonly string[]): readonly LogPath[] {
  return joinParts(operands.flatMap(filesOf));
}

/** Returns the files of logs, which no output may overwrite. */
export function inputsOf(logs: readonly LogPath[]): readonly { readonly file: string }[] {
  const annotations = (chunk: string) => (isChunk(chunk) ? annotationChunks(filesIn(annotationsFolder(chunk))) : []);
  return logs.flatMap(({ parts }) => [...parts, ...annotations(parts[0])].map((file) => ({ file })));
}

function filesOf(operand: string): readonly string[] {
  if (!existsSync(operand)) throw new UsageError(`there is no file ${operand}`);
  const stats = statSync(operand);
  if (stats.isFile()) return [operand];
  if (!stats.isDirectory()) throw new UsageError(`${operand} is not a regular file; logs are read twice`);
  const files = logsInFolder(filesIn(operand)).filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  if (files.length === 0) throw new UsageError(`${operand} has no .jsonl, .json, .parquet or .traj file`);
  return files;
}

/** Lists the paths below a folder; none if it does not exist. @throws {UsageError} for a folder that cannot be read */
function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  } catch (error) {
    throw unreadable(show(folder), error);
  }
}

/**
 * Opens a log while `act` runs. Unpacked or joined content is stored in a temporary file.
 * @throws {UsageError} if the log cannot be read
 * @throws {ImportError} if the log is damaged
 */
function withLog(path: LogPath, signal: AbortSignal, act: (log: LogFile) => Promise<void>): Promise<void> {
  const host = {
    show,
    open: async (part: string) => {
      const refuse = (error: unknown): never => {
        throw unreadable(show(part), error);
      };
      return openFile(await open(part).catch(refuse), signal, refuse);
    },
    store: (bytes: AsyncIterable<Uint8Array>) => storeFile(bytes, signal),
    list: async (folder: string) => filesIn(folder),
    text: async (part: string) => (existsSync(part) ? textOf(part, show(part)) : undefined),
  };
  return openLog(path, host, act);
}

async function openFile(handle: FileHandle, signal: AbortSignal, refuse: (error: unknown) => never): Promise<OpenFile> {
  const { size } = await handle.stat();
  const slice = (start: number, end = size) => {
    // Checking a large file takes minutes, and no other code reads the signal during this time.
    if (signal.aborted) throw new Interrupted();
    return readBytes(handle, start, end).catch(refuse);
  };
  return { byteLength: size, slice, close: () => handle.close() };
}

/** Stores bytes in a file without a name, so that no file remains after any end of the process. */
async function storeFile(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<OpenFile> {
  const refuse = (error: unknown): never => {
    const problem = `a packed log is unpacked in ${tmpdir()}, which cannot be used`;
    throw new UsageError(`${problem} (${reason(error)}); set TMPDIR to another folder`);
  };
  const handle = await temporaryFile().catch(refuse);
  try {
    for await (const chunk of bytes) await handle.writeFile(chunk).catch(refuse);
    return await openFile(handle, signal, refuse);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function temporaryFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'turnwise-'));
  const handle = await open(join(folder, 'log'), 'w+');
  // Windows does not remove the name of an open file.
  await rm(folder, { recursive: true, force: true }).catch(() => {});
  return handle;
}

async function readBytes(handle: FileHandle, start: number, end: number): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(end - start);
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, at, bytes.length - at, start + at);
    if (bytesRead === 0) throw new Error('the file became shorter while it was read');
    at += bytesRead;
  }
  return bytes.buffer;
}

/**
 * Calls `see` with each group of the logs and its file, in order.
 * @throws {ImportError | ForestError | UsageError | Interrupted}
 */
export async function readLogs(
  files: readonly LogPath[],
  from: LogFormat | undefined,
  context: ImportContext,
  { signal }: Pick<Terminal, 'signal'>,
  see: (group: Group, file: LogPath) => void | Promise<void>,
): Promise<void> {
  const turns = new EventLoopYield(signal);
  for (const file of files) {
    await withLog(file, signal, async (log) => {
      for await (const group of importLog(log, from, context)) {
        await turns.pause();
        await see(group, file);
      }
    }).catch(withRemedy);
  }
}

/** Adds the flag `--reward` to the message of an error that this flag can prevent. */
function withRemedy(error: unknown): never {
  if (!(error instanceof ImportError) || error.location.column !== 'advantage') throw error;
  throw new ImportError(
    error.location,
    `${error.problem} Name each reward column with --reward NAME or --reward NAME=WEIGHT`,
  );
}

/** Maximum number of groups and characters that one call of the sandbox scores. */
const BATCH = { groups: 64, characters: 4 << 20 };

/** Scorer of turns, which calls the Python file of `--score` for batches of groups. Close it after use. */
export class Scoring {
  private readonly sandbox = new Sandbox(createNodeSource(), { workers: 1, spare: false });
  private readonly scores: TurnScores;
  private waiting: Group[] = [];
  private characters = 0;

  /**
   * @param file path of the Python file
   * @param outcomeIsTotal true if the outcome of a rollout includes the rewards of its turns
   * @throws {UsageError} for a file that cannot be read or is too long
   */
  constructor(
    private readonly file: string,
    private readonly outcomeIsTotal: boolean,
  ) {
    const source = readTextFile('score', file);
    if (source.length > MAX_SOURCE_LENGTH)
      throw new UsageError(`--score: ${file} has ${source.length} characters; the maximum is ${MAX_SOURCE_LENGTH}`);
    this.scores = new TurnScores(this.sandbox, { file, source }, outcomeIsTotal);
  }

  /**
   * Adds a group. Scores and writes the batch when it is full.
   * @throws {CustomRuleError}
   */
  async add(group: Group, write: (groups: readonly Group[]) => void): Promise<void> {
    this.waiting.push(group);
    for (const { text } of group.turns) this.characters += typeof text === 'string' ? text.length : 0;
    if (this.waiting.length >= BATCH.groups || this.characters >= BATCH.characters) await this.finish(write);
  }

  /**
   * Scores and writes the remaining groups.
   * @throws {CustomRuleError}
   */
  async finish(write: (groups: readonly Group[]) => void): Promise<void> {
    const groups = this.waiting.splice(0);
    this.characters = 0;
    if (groups.length > 0) write(await this.scores.score(groups));
  }

  /** Returns the lines of the report. */
  lines(): readonly string[] {
    const { counts, turns, replaced } = this.scores;
    const parts = Object.entries(counts).map(([field, count]) => `${count} ${field}${count === 1 ? '' : 's'}`);
    const line = `${this.file}: ${parts.join(', ')} of ${turns} turn${turns === 1 ? '' : 's'}`;
    if (counts.reward === 0) return [line];
    const meaning = this.outcomeIsTotal
      ? 'parts of the reward of a rollout'
      : 'added to the reward of a rollout; with --outcome total they are its parts';
    const before = replaced > 0 ? `, and replace ${replaced} of the log` : '';
    return [`${line}; rewards are ${meaning}${before}`];
  }

  close(): void {
    this.sandbox.close();
  }
}
