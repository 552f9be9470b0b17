import { NotTextError, utf8Text } from '../jsonLines.ts';
import { show } from '../quoting.ts';
import { ImportError, isRecord, type LogRow } from './row.ts';

/** File with random access: a file on disk, or a Blob on the page. */
export interface LogFile {
  /** Name of the file, for messages. */
  readonly name: string;
  readonly byteLength: number;
  /** Training step in the path, for rows without a step. */
  readonly step?: number | undefined;
  /** Annotations of the episodes in a stream of prime-rl. */
  readonly annotations?: LogFile | undefined;
  /** Lines for the report, for example about an incomplete last line. */
  readonly notes?: readonly string[] | undefined;
  /** Reads the bytes from `start` (inclusive) to `end` (exclusive; default: the end of the file). */
  slice(start: number, end?: number): Promise<ArrayBuffer>;
}

/** Source of the rows of a log. All rows are read in order, and then single rows by position. */
export interface RowSource {
  /** Reads all rows in order. @throws {ImportError} for a row that cannot be read */
  rows(): AsyncIterable<LocatedRow>;
  /** Reads the row at a position that `rows` returned. */
  at(position: RowLocation): Promise<LogRow>;
  /** Names of columns of floating-point numbers; undefined if the file has no column types. */
  readonly floats?: ReadonlySet<string> | undefined;
}

export interface LocatedRow {
  readonly row: LogRow;
  readonly at: RowLocation;
  /** Number of NaN and infinite values in the row, which are read as null. */
  readonly notNumbers: number;
}

/** Byte range of a line, or index range of a table row. */
export interface RowLocation {
  readonly start: number;
  readonly end: number;
  /** Number of the line or row, from 1. */
  readonly number: number;
}

const CHUNK = 1 << 20;
/** Maximum length of a line [bytes]. It leaves memory for parsing below the maximum length of a JavaScript string. */
const MAX_LINE = 256 << 20;
const NEWLINE = 0x0a;

/** Reads the bytes of a file in chunks of 1 MB. */
export async function* chunksOf(file: Pick<LogFile, 'byteLength' | 'slice'>): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < file.byteLength; start += CHUNK)
    yield new Uint8Array(await file.slice(start, Math.min(start + CHUNK, file.byteLength)));
}

/** Rows of a JSON Lines file, with one line in memory at a time. Empty lines are skipped. */
export class LineSource implements RowSource {
  constructor(private readonly file: LogFile) {}

  async *rows(): AsyncGenerator<LocatedRow> {
    let number = 0;
    let pending: Uint8Array[] = [];
    let pendingLength = 0;
    let position = 0;
    for await (const chunk of chunksOf(this.file)) {
      const end = position + chunk.length;
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); ; at = chunk.indexOf(NEWLINE, from)) {
        const last = at < 0 && end === this.file.byteLength;
        if (at < 0 && !last) break;
        const stop = last ? chunk.length : at;
        const line = joined(pending, pendingLength, chunk.subarray(from, stop));
        const start = position + from - pendingLength;
        pending = [];
        pendingLength = 0;
        from = stop + 1;
        const entry = this.parse(line, { start, end: position + stop, number: ++number });
        if (entry) yield entry;
        if (last) return;
      }
      pending.push(chunk.subarray(from));
      pendingLength += chunk.length - from;
      position = end;
      if (pendingLength > MAX_LINE) {
        throw new ImportError({ file: this.file.name, line: number + 1 }, `longer than ${MAX_LINE >> 20} MB`);
      }
    }
  }

  async at(position: RowLocation): Promise<LogRow> {
    const entry = this.parse(new Uint8Array(await this.file.slice(position.start, position.end)), position);
    if (!entry) throw new ImportError({ file: this.file.name, line: position.number }, 'changed while it was read');
    return entry.row;
  }

  private parse(bytes: Uint8Array, at: RowLocation): LocatedRow | undefined {
    const position = { file: this.file.name, line: at.number };
    const text = decode(bytes, position);
    if (text.trim() === '') return undefined;
    let parsed: ReturnType<typeof parsePythonJson>;
    try {
      parsed = parsePythonJson(text);
    } catch (error) {
      throw new ImportError(position, `not JSON (${(error as Error).message})`);
    }
    const { value, notNumbers } = parsed;
    if (!isRecord(value)) throw new ImportError(position, `${show(value)} is not an object`);
    return { row: { location: position, columns: value }, at, notNumbers };
  }
}

/** Decodes UTF-8 bytes, without a byte order mark. @throws {ImportError} if the bytes are not UTF-8 */
export function decode(bytes: Uint8Array, position: { file: string; line?: number }): string {
  try {
    return utf8Text(bytes);
  } catch (error) {
    throw error instanceof NotTextError ? new ImportError(position, error.message) : error;
  }
}

function joined(parts: readonly Uint8Array[], length: number, last: Uint8Array): Uint8Array {
  if (parts.length === 0) return last;
  const complete = new Uint8Array(length + last.length);
  let at = 0;
  for (const part of [...parts, last]) {
    complete.set(part, at);
    at += part.length;
  }
  return complete;
}

/** Rows of a small file, cached after the first pass. Parsing takes most of the time of an import. */
export class CachedRows implements RowSource {
  private readonly cache = new Map<number, LogRow>();

  constructor(private readonly source: RowSource) {}

  get floats(): ReadonlySet<string> | undefined {
    return this.source.floats;
  }

  async *rows(): AsyncGenerator<LocatedRow> {
    for await (const row of this.source.rows()) {
      this.cache.set(row.at.number, row.row);
      yield row;
    }
  }

  async at(position: RowLocation): Promise<LogRow> {
    return this.cache.get(position.number) ?? this.source.at(position);
  }
}

/**
 * Parses JSON of Python's `json.dumps`, which writes NaN, Infinity and -Infinity without quotes. JSON forbids them.
 * They are read as null, as pandas, pyarrow and pydantic write them.
 * Source: https://docs.python.org/3/library/json.html#json.dumps, `allow_nan`.
 * @returns the value, and the number of NaN and infinite values in it
 * @throws {SyntaxError} if the text is not JSON of this form
 */
export function parsePythonJson(text: string): { readonly value: unknown; readonly notNumbers: number } {
  try {
    return { value: JSON.parse(text), notNumbers: 0 };
  } catch (error) {
    const { json, notNumbers } = withoutNaN(text);
    if (notNumbers === 0) throw error;
    return { value: JSON.parse(json), notNumbers };
  }
}

/** Replaces NaN and infinities outside strings by null. Strings, which can be large, are copied without a search. */
function withoutNaN(text: string): { json: string; notNumbers: number } {
  const parts: string[] = [];
  let notNumbers = 0;
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const outside = text.slice(at, quote < 0 ? text.length : quote);
    parts.push(
      outside.replace(/-?\bInfinity\b|\bNaN\b/g, () => {
        notNumbers++;
        return 'null';
      }),
    );
    if (quote < 0) break;
    const end = endOfString(text, quote);
    parts.push(text.slice(quote, end));
    at = end;
  }
  return { json: parts.join(''), notNumbers };
}

/** Returns the index after the closing quote of the string that starts at `quote`. */
function endOfString(text: string, quote: number): number {
  for (let close = text.indexOf('"', quote + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let escapes = 0;
    while (text[close - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return close + 1;
  }
  return text.length;
}
