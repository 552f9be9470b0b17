import { ImportError } from './importError.ts';
import { chunksOf, decode, type LogFile } from './logFile.ts';
import {
  annotationChunks,
  annotationsFolder,
  folderOf,
  isChunk,
  isDatabasePath,
  isTrajectoryPath,
  type LogPath,
  resultsOf,
  stepInPath,
} from './logPaths.ts';
import { trajectoryLine } from './trajectories.ts';
import { MAGIC_LENGTH, packingOf, unpacked } from './unpack.ts';

/** Open file with random access. */
export interface OpenFile extends Pick<LogFile, 'byteLength' | 'slice'> {
  close(): Promise<void>;
}

/** File access of the terminal program or of the page. */
export interface LogHost {
  open(path: string): Promise<OpenFile>;
  /** Stores bytes in a temporary file that exists until it is closed. */
  store(bytes: AsyncIterable<Uint8Array>): Promise<OpenFile>;
  /** Returns the paths of all files in a folder; empty if the folder does not exist. */
  list(folder: string): Promise<readonly string[]>;
  /** Returns the text of a small file; undefined if it does not exist. */
  text(path: string): Promise<string | undefined>;
  /** Returns a path in the form for messages. */
  show(path: string): string;
}

const NEWLINE = 0x0a;

/**
 * Opens a log, runs `act` and closes the log. Compressed files, chunks and trajectories are first stored as one plain
 * log, because a log is read twice.
 * @throws {ImportError} for damaged data
 */
export async function openLog(
  { path, parts }: LogPath,
  host: LogHost,
  act: (log: LogFile) => Promise<void>,
): Promise<void> {
  const [first] = parts;
  const known = { name: host.show(path), step: stepInPath(path) };
  if (isDatabasePath(path)) await checkDatabase(path, host);
  const isSingle = parts.length === 1 && !isChunk(first) && !isTrajectoryPath(first);
  if (isSingle) {
    const file = await host.open(first);
    try {
      const start = await file.slice(0, Math.min(MAGIC_LENGTH, file.byteLength));
      if (packingOf(new Uint8Array(start)) === undefined) return await act({ ...file, ...known });
    } finally {
      await file.close();
    }
  }
  await stored(rowsOf(parts, host), host, async (file, lines) => {
    if (isSingle) return act({ ...file, ...known });
    const isTorn = lines < file.byteLength;
    const notes = isTorn ? ['the last line is not complete: left out'] : [];
    const log = { ...file, ...known, byteLength: lines, notes };
    const annotations = isChunk(first) ? annotationChunks(await host.list(annotationsFolder(first))) : [];
    if (annotations.length === 0) return act(log);
    await stored(rowsOf(annotations, host), host, (updates, complete) =>
      act({ ...log, annotations: { ...updates, name: host.show(annotationsFolder(first)), byteLength: complete } }),
    );
  });
}

/**
 * Checks that a database has no write-ahead log.
 * @throws {ImportError} if the last rows of the database are in its write-ahead log, which is a separate file
 */
async function checkDatabase(path: string, host: LogHost): Promise<void> {
  const log = `${path}-wal`;
  const files = await host.list(folderOf(path) || '.');
  if (!files.some((file) => file === log || file.endsWith(`/${log}`))) return;
  const file = await host.open(log);
  await file.close();
  if (file.byteLength === 0) return;
  const problem = `its last rows are in ${host.show(log)}: end the run, or merge them with sqlite3 and PRAGMA wal_checkpoint`;
  throw new ImportError({ file: host.show(path) }, problem);
}

/**
 * Stores bytes in a file while `act` runs.
 * @param act receives the file and the number of bytes up to the last newline, because prime-rl ends each complete line
 *   with a newline
 */
async function stored(
  bytes: AsyncIterable<Uint8Array>,
  host: LogHost,
  act: (file: OpenFile, lines: number) => Promise<void>,
): Promise<void> {
  const stream = { size: 0, lines: 0 };
  const file = await host.store(counted(bytes, stream));
  try {
    await act(file, stream.lines);
  } finally {
    await file.close();
  }
}

/** Passes chunks through, and counts all bytes and the bytes up to the last newline in `stream`. */
async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  stream: { size: number; lines: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    const newline = chunk.lastIndexOf(NEWLINE);
    if (newline >= 0) stream.lines = stream.size + newline + 1;
    stream.size += chunk.length;
    yield chunk;
  }
}

async function* rowsOf(parts: readonly string[], host: LogHost): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield* isTrajectoryPath(part) ? trajectoryRow(part, host) : plainBytes(part, host);
}

async function* plainBytes(path: string, host: LogHost): AsyncGenerator<Uint8Array> {
  const file = await host.open(path);
  try {
    yield* unpacked(host.show(path), chunksOf(file));
  } finally {
    await file.close();
  }
}

/** Reads a trajectory as one line of a log, with the evaluation of its run. */
async function* trajectoryRow(path: string, host: LogHost): AsyncGenerator<Uint8Array> {
  const name = host.show(path);
  const pieces: BlobPart[] = [];
  for await (const chunk of plainBytes(path, host)) pieces.push(chunk as Uint8Array<ArrayBuffer>);
  const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
  const text = decode(bytes, { file: name });
  yield new TextEncoder().encode(`${trajectoryLine(name, text, await evaluationOf(path, host))}\n`);
}

async function evaluationOf(path: string, host: LogHost): Promise<{ path: string; text: string } | undefined> {
  for (const results of resultsOf(path)) {
    const text = await host.text(results);
    if (text !== undefined) return { path: host.show(results), text };
  }
  return undefined;
}
