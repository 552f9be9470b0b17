import { existsSync, readdirSync, statSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { chunksOf, decode, type LogFile } from '../../rollouts/import/logFile.ts';
import { trajectoryLine } from '../../rollouts/import/trajectories.ts';
import { MAGIC_LENGTH, packingOf, unpacked } from '../../rollouts/import/unpack.ts';
import { Interrupted, reason, UsageError, unreadable } from './errors.ts';
import { textOf } from './inputs.ts';
import { show } from './policyFiles.ts';

const LOGS = /\.(jsonl|json|parquet|traj)(\.(gz|zst))?$/;
const NEWLINE = 0x0a;
const ORDER = new Intl.Collator('en', { numeric: true });
/**
 * A chunk of a stream of prime-rl: numbered files of one log, Zstandard but the last one.
 * Source: PrimeIntellect-ai/prime-rl, src/prime_rl/monitors/file/traces/chunks.py (551bfc3).
 */
const CHUNK = /[\\/]stream[\\/](\d{5})\.jsonl(\.zst)?$/;

/** Runs of SWE-agent, one a file. */
const TRAJECTORY = /\.traj(\.(gz|zst))?$/;

/** A log: a file, the chunks of a stream in their order, or trajectories. */
export interface LogPath {
  /** Path of the file, of the folder of the stream, or of the folder of the first trajectory. */
  readonly path: string;
  readonly parts: readonly string[];
}

/**
 * Returns the logs that operands name, with those of folders and the folders in them, numbers in names by value: 9 before 10.
 * @throws {UsageError} for a file that cannot be read twice, and a folder without a log
 */
export function logFiles(operands: readonly string[]): readonly LogPath[] {
  const several = new Map<string, string[]>();
  const logs: LogPath[] = [];
  for (const path of operands.flatMap(filesOf)) {
    const folder = dirname(path);
    const key = isChunk(path) ? folder : TRAJECTORY.test(path) ? 'trajectories' : undefined;
    const known = several.get(key ?? '');
    if (key === undefined) logs.push({ path, parts: [path] });
    else if (known) known.push(path);
    else {
      const parts = [path];
      several.set(key, parts);
      logs.push({ path: folder, parts });
    }
  }
  return logs;
}

/** Returns the files of logs, which no output may overwrite. */
export function inputsOf(logs: readonly LogPath[]): readonly { readonly file: string }[] {
  return logs.flatMap(({ parts }) => parts.map((file) => ({ file })));
}

function filesOf(operand: string): readonly string[] {
  if (!existsSync(operand)) throw new UsageError(`there is no file ${operand}`);
  const stats = statSync(operand);
  if (stats.isFile()) return [operand];
  if (!stats.isDirectory()) throw new UsageError(`${operand} is no plain file; a log is read twice, so it must be one`);
  const files = readdirSync(operand, { recursive: true, encoding: 'utf8' })
    .filter((name) => LOGS.test(name) && statSync(join(operand, name), { throwIfNoEntry: false })?.isFile())
    .sort(ORDER.compare)
    .map((name) => join(operand, name));
  if (files.length === 0) throw new UsageError(`${operand} holds no .jsonl, .json, .parquet or .traj file`);
  return withoutDuplicates(withoutIndexes(files));
}

function isChunk(path: string): boolean {
  return CHUNK.test(resolve(path));
}

/**
 * Leaves out the files that are written about a log: metrics, indexes and annotations of prime-rl in `monitors/file/`, and
 * `results.json` and `preds.json` of SWE-agent in the folder of a trajectory or above it.
 */
function withoutIndexes(files: readonly string[]): readonly string[] {
  const monitors = files.filter(isChunk).map((path) => `${dirname(dirname(dirname(resolve(path))))}${sep}`);
  const runs = files.filter((path) => TRAJECTORY.test(path)).flatMap((path) => [dirname(path), dirname(dirname(path))]);
  const [inMonitors, ofRuns] = [new Set(monitors), new Set(runs)];
  return files.filter((path) => {
    if (/^(results|preds)\.json$/.test(basename(path)) && ofRuns.has(dirname(path))) return false;
    return isChunk(path) || ![...inMonitors].some((folder) => resolve(path).startsWith(folder));
  });
}

/** Leaves out a compressed chunk if its plain file still exists. */
function withoutDuplicates(files: readonly string[]): readonly string[] {
  return files.filter((path) => !(isChunk(path) && path.endsWith('.zst') && files.includes(path.slice(0, -4))));
}

/**
 * Returns the training step in a path: `step_12` or `global_step_12` as a folder or in a name, `12.jsonl`, `completions_00012.parquet`.
 * Chunks of a stream are numbered and have no step.
 */
export function stepInPath(path: string): number | undefined {
  if (isChunk(path)) return undefined;
  const base = basename(path).replace(/\.(gz|zst)$/, '');
  const name = /^(?:.*[_-])?(\d+)\.\w+$/.exec(base);
  const folder = dirname(path)
    .split(/[\\/]/)
    .reverse()
    .flatMap((part) => /^(?:\w*_)?step[_-]?(\d+)$/i.exec(part)?.[1] ?? []);
  const inName = /step[_-]?(\d+)/i.exec(base);
  const step = inName?.[1] ?? folder[0] ?? name?.[1];
  return step === undefined ? undefined : Number(step);
}

/**
 * Opens a log while `act` runs. Chunks and packed files go into a temporary file first, because a log is read twice.
 * @throws {UsageError} if it cannot be read
 * @throws {ImportError} if it is damaged
 */
export async function withLog(
  { path, parts }: LogPath,
  signal: AbortSignal,
  act: (log: LogFile) => Promise<void>,
): Promise<void> {
  const [first] = parts;
  const isPlain = parts.length === 1 && !isChunk(first) && !TRAJECTORY.test(first);
  const name = show(path);
  const done =
    isPlain &&
    (await opened(first, signal, async (file) => {
      if (packingOf(new Uint8Array(await file.slice(0, Math.min(MAGIC_LENGTH, file.byteLength)))) !== undefined)
        return false;
      await act(file);
      return true;
    }));
  if (done) return;
  const plain = await temporaryFile();
  try {
    let [size, lines] = [0, 0];
    for (const part of parts) {
      await opened(part, signal, async (file) => {
        const chunks = unpacked(file.name, chunksOf(file));
        for await (const chunk of TRAJECTORY.test(part) ? rowOf(part, chunks) : chunks) {
          await write(plain, chunk);
          const newline = chunk.lastIndexOf(NEWLINE);
          if (newline >= 0) lines = size + newline + 1;
          size += chunk.length;
        }
      });
    }
    const log = await logOf(plain, { name, step: stepInPath(path) }, signal);
    // Every complete line of prime-rl ends with a newline.
    const isTorn = !isPlain && lines < size;
    await act(isTorn ? { ...log, byteLength: lines, notes: ['the last line is not complete: left out'] } : log);
  } finally {
    await plain.close();
  }
}

/** Returns a trajectory as the line of a log, with the evaluation in the folder of the run. */
async function* rowOf(path: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  const folder = dirname(path);
  const results = [folder, dirname(folder)]
    .map((parent) => join(parent, 'results.json'))
    .find((file) => existsSync(file));
  const evaluation = results === undefined ? undefined : { path: show(results), text: textOf(results, show(results)) };
  const line = trajectoryLine(show(path), decode(Buffer.concat(pieces), { file: show(path) }), evaluation);
  yield new TextEncoder().encode(`${line}\n`);
}

async function opened<Outcome>(
  path: string,
  signal: AbortSignal,
  act: (log: LogFile) => Promise<Outcome>,
): Promise<Outcome> {
  const name = show(path);
  const handle = await open(path).catch((error) => {
    throw unreadable(name, error);
  });
  try {
    return await act(await logOf(handle, { name, step: stepInPath(path) }, signal));
  } finally {
    await handle.close();
  }
}

async function logOf(
  handle: FileHandle,
  { name, step }: Pick<LogFile, 'name' | 'step'>,
  signal: AbortSignal,
): Promise<LogFile> {
  const { size } = await handle.stat();
  const slice = (start: number, end = size) => {
    // Checking a large file takes minutes, in which nothing else looks at the signal.
    if (signal.aborted) throw new Interrupted();
    return readBytes(handle, start, end).catch((error) => {
      throw unreadable(name, error);
    });
  };
  return { name, byteLength: size, slice, step };
}

/** Opens a file without a name, so that nothing remains however the process ends. */
async function temporaryFile(): Promise<FileHandle> {
  try {
    const folder = await mkdtemp(join(tmpdir(), 'turnwise-'));
    const handle = await open(join(folder, 'log'), 'w+');
    // Windows keeps the name of an open file.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
    return handle;
  } catch (error) {
    throw unreadable(`${tmpdir()}, the folder for temporary files,`, error);
  }
}

async function write(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  try {
    await handle.writeFile(chunk);
  } catch (error) {
    const problem = `a packed log is unpacked in ${tmpdir()}, which cannot be written`;
    throw new UsageError(`${problem} (${reason(error)}); TMPDIR can name another folder`);
  }
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
