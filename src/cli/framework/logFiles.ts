import { existsSync, readdirSync, statSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { Interrupted, reason, UsageError, unreadable } from './errors.ts';
import { textOf } from './inputs.ts';
import { show } from './policyFiles.ts';

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

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
}

/**
 * Opens a log while `act` runs. Unpacked or joined content is stored in a temporary file.
 * @throws {UsageError} if the log cannot be read
 * @throws {ImportError} if the log is damaged
 */
export function withLog(path: LogPath, signal: AbortSignal, act: (log: LogFile) => Promise<void>): Promise<void> {
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
