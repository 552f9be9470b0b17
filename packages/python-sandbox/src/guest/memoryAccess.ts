// All reads of text and bytes from the interpreter's memory, and all writes after the start, use these functions.
// A program determines the length of a text, and the work of JavaScript is not counted. Each function therefore limits
// the length that it reads. Writes are marked, so that their pages are restored. A unit test rejects any other access
// (memoryAccess.test.ts). Words and bytes have separate functions, because V8 is slow at `array[i] = value` in a frozen
// realm (numberList.ts).
import type { Interpreter } from './interpreter.ts';

/** Parts of an interpreter that reading and writing words requires. */
export type Uint32Memory = Pick<Interpreter, 'HEAPU32' | 'setUint32' | 'mark'>;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
/** Maximum size of a character in UTF-8 [bytes]. */
const BYTES_A_CHARACTER = 4;

/** Reads the first `maximum` characters of a str; undefined for other types, lone surrogates and inconsistent sizes. */
export function readText(python: Interpreter, object: number, maximum: number): string | undefined {
  const length = python._PyUnicode_GetLength(object);
  if (length <= maximum) return length < 0 ? clearError(python) : decodeText(python, object, maximum);
  const part = python._PyUnicode_Substring(object, 0, maximum);
  if (part === 0) return clearError(python);
  const text = decodeText(python, part, maximum);
  python._Py_DecRef(part);
  return text;
}

function decodeText(python: Interpreter, text: number, maximum: number): string | undefined {
  const saved = python._emscripten_stack_get_current();
  const size = python.__emscripten_stack_alloc(8);
  const address = python._PyUnicode_AsUTF8AndSize(text, size);
  const length = python.HEAPU32[size >>> 2];
  python.__emscripten_stack_restore(saved);
  if (address === 0) return clearError(python);
  return length > BYTES_A_CHARACTER * maximum ? undefined : decoder.decode(readBytes(python, address, length));
}

/** Clears the exception of a failed C function. */
function clearError(python: Interpreter): undefined {
  python._PyErr_Clear();
}

/** Reads at most `maximum` bytes of a C string as text. */
export function readCString(python: Interpreter, address: number, maximum: number): string {
  const bytes = readBytes(python, address, maximum);
  const end = bytes.indexOf(0);
  return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
}

function readBytes(python: Interpreter, address: number, count: number): Uint8Array {
  return python.HEAPU8.subarray(address, address + count);
}

/** Returns a view of `count` words at an address. @param count constant of the caller */
export function readInts(python: Uint32Memory, address: number, count: number): Uint32Array {
  return python.HEAPU32.subarray(address >>> 2, (address >>> 2) + count);
}

export function writeUint32(python: Uint32Memory, at: number, value: number): void {
  python.setUint32(at, value);
  python.mark(at, 4);
}

export function putBytes(python: Interpreter, at: number, bytes: Uint8Array): void {
  python.HEAPU8.set(bytes, at);
  python.mark(at, bytes.length);
}

/** Writes a C string to a new block, which the caller frees. Lone surrogates become U+FFFD. */
export function newText(python: Interpreter, text: string): number {
  const bytes = encoder.encode(`${text}\0`);
  const block = python._malloc(bytes.length);
  putBytes(python, block, bytes);
  return block;
}
