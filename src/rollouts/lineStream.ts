import { ForestError } from './forestError.ts';
import { NotTextError, utf8Text } from './utf8.ts';

/** A line of a text. */
export interface Line {
  /** Without the \n; a \r before it stays. */
  readonly text: string;
  /** From 1. */
  readonly number: number;
  /** Size in the file. */
  readonly bytes: number;
}

/** The longest text that a JavaScript engine keeps as one string (V8's limit, in characters). */
const LONGEST = 2 ** 29 - 24;

const NEWLINE = 0x0a;

/**
 * Cuts a stream of bytes into lines of UTF-8 text of any length that a string can have, one in memory at a time. Lines
 * that contain only space are left out and counted. A byte order mark at the start of a line is left out, because it
 * occurs where files were joined.
 * @throws {ForestError} naming the line that is not UTF-8 or too long
 */
export async function* textLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let number = 0;
  let parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array) => {
    length += part.length;
    if (length > LONGEST) throw new ForestError({ line: number + 1 }, `the line is longer than ${LONGEST} bytes`);
    parts.push(part);
  };
  const finishLine = (): Line | undefined => {
    number++;
    const bytes = parts.length === 1 ? parts[0] : joined(parts, length);
    parts = [];
    length = 0;
    const text = decode(bytes, number);
    return text.trim() === '' ? undefined : { text, number, bytes: bytes.length };
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, at));
      from = at + 1;
      const line = finishLine();
      if (line) yield line;
    }
    if (from < chunk.length) add(chunk.subarray(from));
  }
  const last = length > 0 ? finishLine() : undefined;
  if (last) yield last;
}

function decode(bytes: Uint8Array, line: number): string {
  try {
    return utf8Text(bytes);
  } catch (error) {
    throw error instanceof NotTextError ? new ForestError({ line }, error.message) : error;
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const result = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}
