import { createReadStream, existsSync, fstatSync, readFileSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { NotTextError, utf8Text } from '../../rollouts/jsonLines.ts';
import { UsageError, unreadable } from './errors.ts';

// Functions by which commands read their inputs. Text is UTF-8, with or without a byte order mark. If an input cannot
// be read, the error has its name, and the command has no effect.

/** Size of one read of a file [bytes]. */
const CHUNK = 1 << 20;

/** A file of the command line, or standard input for "-". */
export interface Input {
  /** Name of the input in messages. */
  readonly name: string;
  /** Opens the input. Call this once only. */
  open(): Readable;
}

/**
 * Returns an input of the command line without opening it.
 * @param description expected kind of file, for example "a file of jobs"
 * @throws {UsageError} for a file that does not exist, or a folder
 */
export function inputOf(file: string, description: string, terminal: { input(): Readable }): Input {
  if (file === '-') return { name: 'standard input', open: () => terminal.input() };
  if (!existsSync(file)) throw new UsageError(`there is no file ${file}`);
  if (statSync(file).isDirectory()) throw new UsageError(`${file} is a folder, not ${description}`);
  return { name: file, open: () => createReadStream(file, { highWaterMark: CHUNK }) };
}

/**
 * Yields the bytes of an open input.
 * @throws {UsageError} if the bytes cannot be read
 */
export async function* bytesOf(name: string, stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw unreadable(name, error);
  }
}

/**
 * Reads a text file.
 * @param flag flag that names the file, for messages
 * @throws {UsageError} if the file cannot be read or is not text
 */
export function readTextFile(flag: string, file: string): string {
  return textOf(file, `--${flag}: ${file}`);
}

/**
 * Reads a text file.
 * @param name name of the file in messages
 * @throws {UsageError} if the file cannot be read or is not text
 */
export function textOf(file: string, name: string): string {
  try {
    return utf8Text(readFileSync(file));
  } catch (error) {
    if (error instanceof NotTextError) throw new UsageError(`${name} is ${error.message}`);
    throw unreadable(name, error);
  }
}

/**
 * Returns the standard input of the process.
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

/** File that a command line names. */
export interface NamedFile {
  /** Flag without hyphens. Absent for an operand. */
  readonly by?: string;
  readonly file: string;
}

/**
 * Returns the files in one value of a command line. These are the value itself if it is a file name, and rule files in
 * lists such as `mt-grpo,./my_rule.py:alpha=0.5` or `60:rule=./my_rule.py`.
 * @param by flag of the value; undefined for an operand
 * @param isFile true if the value is a file name
 */
export function namedFiles(by: string | undefined, value: string, isFile: boolean): readonly NamedFile[] {
  const rules = value.split(/[,:=]/).map((part) => part.trim());
  const names = new Set([...(isFile ? [value] : []), ...[value, ...rules].filter((name) => name.endsWith('.py'))]);
  return [...names].map((file) => (by === undefined ? { file } : { by, file }));
}
