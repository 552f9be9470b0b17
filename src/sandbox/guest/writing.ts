// Everything that JavaScript writes into the interpreter's memory after the start goes through here, so that its pages are marked.
// Single words and bytes go by functions of their own: V8 is slow at `array[i] = value` in a realm that is frozen (numberList.ts).

/** The parts of an interpreter that are written to. */
export interface Writable {
  readonly HEAPU8: Uint8Array;
  readonly HEAPU32: Uint32Array;
  /** Write into memory, and mark nothing. */
  setWord(at: number, value: number): void;
  setByte(at: number, value: number): void;
  /** Hears what JavaScript writes into memory. */
  mark(at: number, size: number): void;
  _malloc(size: number): number;
}

const encoder = new TextEncoder();

export function putWord(python: Writable, at: number, value: number): void {
  python.setWord(at, value);
  python.mark(at, 4);
}

export function putBytes(python: Writable, at: number, bytes: Uint8Array): void {
  python.HEAPU8.set(bytes, at);
  python.mark(at, bytes.length);
}

/** A C string in a block of its own, which the caller frees. Lone surrogates become U+FFFD. */
export function newText(python: Writable, text: string): number {
  const bytes = encoder.encode(`${text}\0`);
  const block = python._malloc(bytes.length);
  putBytes(python, block, bytes);
  return block;
}
