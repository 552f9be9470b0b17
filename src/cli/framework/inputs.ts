import { createReadStream, existsSync, fstatSync, readFileSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { NotTextError, utf8Text } from '../../rollouts/utf8.ts';
import { UsageError, unreadable } from './errors.ts';
import type { Terminal } from './terminal.ts';

// Functions by which commands read their inputs. Text is UTF-8 everywhere, with or without a byte order mark. If an
// input cannot be read, an error names it, and the command does nothing.

/** Bytes of a file that are read at once. */
const CHUNK = 1 << 20;

/** A file of the command line, or standard input for "-". */
export interface Input {
  /** Its name in messages. */
  readonly name: string;
  /** Opens it; to be done once. */
  open(): Readable;
}

/**
 * An input that was named, not yet opened.
 * @param description of the expected kind, for example "a file of jobs"
 * @throws {UsageError} for a file that is not there, or a folder
 */
export function inputOf(file: string, description: string, terminal: Pick<Terminal, 'input'>): Input {
  if (file === '-') return { name: 'standard input', open: () => terminal.input() };
  if (!existsSync(file)) throw new UsageError(`there is no file ${file}`);
  if (statSync(file).isDirectory()) throw new UsageError(`${file} is a folder, not ${description}`);
  return { name: file, open: () => createReadStream(file, { highWaterMark: CHUNK }) };
}

/** The bytes of an open input. @throws {UsageError} where they cannot be read */
export async function* bytesOf(name: string, stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** A file as text. @param flag that names it @throws {UsageError} where it cannot be read, or is no text */
export function readTextFile(flag: string, file: string): string {
  return textOf(file, `--${flag}: ${file}`);
}

/** A file as text. @param name for messages @throws {UsageError} where it cannot be read, or is no text */
export function textOf(file: string, name: string): string {
  try {
    return utf8Text(readFileSync(file));
  } catch (error) {
    if (error instanceof NotTextError) throw new UsageError(`${name} is ${error.message}`);
    throw unreadable(name, error);
  }
}

/**
 * Standard input of the process.
 * @throws {UsageError} if it is a folder, which Node reads as empty input
 */
export function standardInput(descriptor = 0): Readable {
  if (isFolder(descriptor)) throw new UsageError('standard input is a folder');
  return process.stdin;
}

function isFolder(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isDirectory();
  } catch {
    // Node reports a closed descriptor.
    return false;
  }
}
