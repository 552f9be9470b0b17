import { integerPower } from '../../numbers/powers.ts';
import { ImportError } from './importError.ts';

/** Compression formats that an import reads. */
export type Packing = 'gzip' | 'Zstandard';

const MAGIC: readonly (readonly [packing: Packing, start: readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['Zstandard', [0x28, 0xb5, 0x2f, 0xfd]],
];
/** Number of first bytes that identify a compression format. */
export const MAGIC_LENGTH = 4;
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
