import { ForestError } from './forestError.ts';
import { NotTextError, utf8Text } from './utf8.ts';

/** Line of a text. */
export interface Line {
  /** Text without the \n. A \r before it is retained. */
  readonly text: string;
  /** Line number, from 1. */
  readonly number: number;
  /** Size in the file without the \n [bytes]. */
  readonly bytes: number;
}

/** Maximum length of a string in V8 [characters]. */
const LONGEST = 2 ** 29 - 24;

const NEWLINE = 0x0a;

/**
 * Splits a stream of bytes into lines of UTF-8 text. Memory contains one line at a time. Lines of white space are not
 * returned, but count in line numbers. A byte order mark at the start of any line is removed, because joined files
 * contain them.
 * @throws {ForestError} that names the line, if it is not UTF-8 or exceeds the maximum length of a string
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
