import { integerPower } from '../../numbers/exponential.ts';
import { trajectoryLine } from './agents.ts';
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
import { ImportError } from './row.ts';

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

/** Compression formats that an import reads. */
type Packing = 'gzip' | 'Zstandard';

const MAGIC: readonly (readonly [packing: Packing, start: readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['Zstandard', [0x28, 0xb5, 0x2f, 0xfd]],
];
/** Number of first bytes that identify a compression format. */
const MAGIC_LENGTH = 4;
/** Maximum window of Zstandard [bytes], as in the program zstd. */
const MAX_WINDOW = 128 << 20;
/** Size of a Zstandard header up to the window descriptor [bytes]. */
const HEADER = 6;

/** Returns the compression format of a file, from its first bytes; undefined for a plain file. */
export function packingOf(start: Uint8Array): Packing | undefined {
  return MAGIC.find(([, magic]) => magic.every((byte, at) => start[at] === byte))?.[0];
}

/**
 * Decompresses a stream of gzip or Zstandard. Other streams pass unchanged. Several gzip members or Zstandard frames
 * are read in sequence. Memory contains the Zstandard window, at most 128 MB.
 * @param name name of the file, for messages
 * @throws {ImportError} for damaged data
 */
export async function* unpacked(name: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]();
  try {
    let start: Uint8Array<ArrayBufferLike> = new Uint8Array();
    while (start.length < HEADER) {
      const { done, value } = await source.next();
      if (done) break;
      start = joined(start, value);
    }
    const stream = rest(start, source);
    const packing = packingOf(start);
    if (packing === undefined) yield* stream;
    else yield* packing === 'gzip' ? gunzipped(name, stream) : unzstd(name, start, stream);
  } finally {
    await source.return?.();
  }
}

async function* rest(start: Uint8Array, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (start.length > 0) yield start;
  for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
}

async function* gunzipped(name: string, chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let failure: unknown;
  const packed = new ReadableStream<BufferSource>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value as Uint8Array<ArrayBuffer>);
      } catch (error) {
        // The reader below receives the error of the gzip stream, not this error.
        failure = error;
        controller.error(error);
      }
    },
  });
  const reader = packed.pipeThrough(new DecompressionStream('gzip')).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } catch (error) {
    throw failure ?? damaged(name, 'gzip', error);
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function* unzstd(name: string, start: Uint8Array, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const window = windowOf(start);
  if (window > MAX_WINDOW) {
    throw new ImportError(
      { file: name },
      `its Zstandard window of ${Math.round(window / (1 << 20))} MB exceeds 128 MB`,
    );
  }
  // Loaded on demand: few logs use Zstandard.
  const { Decompress } = await import('fzstd');
  let blocks: Uint8Array[] = [];
  const decompress = new Decompress((block) => blocks.push(block));
  const push = (chunk: Uint8Array, last: boolean) => {
    try {
      decompress.push(chunk, last);
    } catch (error) {
      throw damaged(name, 'Zstandard', error);
    }
  };
  for await (const chunk of chunks) {
    push(chunk, false);
    yield* blocks;
    blocks = [];
  }
  push(new Uint8Array(), true);
  yield* blocks;
}

/** Returns the window size of a frame [bytes]; 0 for a single-segment frame, which has no window descriptor. */
function windowOf(header: Uint8Array): number {
  const [descriptor = 0, window = 0] = header.subarray(4);
  // RFC 8878, section 3.1.1.1.2.
  return descriptor & 0x20 ? 0 : integerPower(2, 10 + (window >> 3)) * (1 + (window & 7) / 8);
}

function damaged(name: string, packing: Packing, error: unknown): ImportError {
  return new ImportError({ file: name }, `damaged ${packing} data (${(error as Error).message})`);
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
