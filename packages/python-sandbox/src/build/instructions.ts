import type { Reader } from './binary.ts';

/** Types of stored values. The rewriter uses one local variable per type, in this order. */
export const VALUES = [0x7f, 0x7e, 0x7d, 0x7c] as const;

/** Write of an instruction: a value at an address, a range of memory, or a change outside of memory. */
export type Write =
  /** `value` is an index of VALUES. Address and value are on the stack. */
  | { readonly kind: 'store'; readonly value: number; readonly offset: number; readonly size: number }
  /** Destination, source or byte, and length are on the stack. */
  | { readonly kind: 'range' }
  /** Change that no mark covers: of a global or a table with this index, or of the memory size. */
  | { readonly kind: 'other'; readonly name: string; readonly index: number };

/** Store instructions by opcode: type of the value, and number of bytes written. */
const STORES: Readonly<Record<number, readonly [value: number, size: number]>> = {
  54: [0, 4],
  55: [1, 8],
  56: [2, 4],
  57: [3, 8],
  58: [0, 1],
  59: [0, 2],
  60: [1, 1],
  61: [1, 2],
  62: [1, 4],
};

export const isBetween = (low: number, value: number, high: number) => low <= value && value <= high;

/** Reads an instruction of Pyodide's module. @returns its write, if it writes @throws {Error} if it is unknown */
export function readInstruction(reader: Reader): Write | undefined {
  const op = reader.byte();
  if (op === 0xfc) return readBulk(reader);
  if (op in STORES) {
    const [value, size] = STORES[op];
    return { kind: 'store', value, size, offset: readOffset(reader) };
  }
  if (op === 0x24 || op === 0x26) {
    return { kind: 'other', name: op === 0x24 ? 'global.set' : 'table.set', index: reader.unsigned() };
  }
  if (isBetween(0x28, op, 0x35)) readOffset(reader);
  else if (op === 0x43) reader.skip(4);
  else if (op === 0x44) reader.skip(8);
  else if (opensBlock(op)) readBlockType(reader);
  else if (op === 0x0e) for (let i = reader.unsigned(); i >= 0; i--) reader.skipNumber();
  else if (op === 0x1c) reader.skip(reader.unsigned());
  else if (op === 0x11) {
    reader.skipNumber();
    reader.skipNumber();
  } else if (hasNumber(op)) reader.skipNumber();
  else if (!isBare(op)) throw new Error(`instruction ${op.toString(16)} is not known`);
  if (op === 0x40) return { kind: 'other', name: 'memory.grow', index: 0 };
  return undefined;
}

/** Opcode that ends a `try` block and delegates its exceptions to another block. */
export const DELEGATE = 0x18;
/** Returns true if an opcode opens a block: block, loop, if or try. */
export const opensBlock = (op: number) => [0x02, 0x03, 0x04, 0x06].includes(op);
const hasNumber = (op: number) =>
  [0x07, 0x08, 0x09, 0x0c, 0x0d, 0x10, DELEGATE, 0x3f, 0x40, 0x41, 0x42, 0xd0, 0xd2].includes(op) ||
  isBetween(0x20, op, 0x26);
const isBare = (op: number) =>
  [0x00, 0x01, 0x05, 0x0b, 0x0f, 0x19, 0x1a, 0x1b, 0xd1].includes(op) || isBetween(0x45, op, 0xc4);

function readOffset(reader: Reader): number {
  // Bit 6 of the alignment indicates that the index of a memory follows.
  if (reader.unsigned() & 64) reader.skipNumber();
  return reader.unsigned();
}

function readBlockType(reader: Reader): void {
  // A block type is one byte for an empty or a value type, or the index of a type.
  const type = reader.bytes[reader.at];
  if (type === 0x40 || isBetween(0x6f, type, 0x7f)) reader.skip(1);
  else reader.skipNumber();
}

/** Reads an instruction with prefix 0xfc: a conversion, a bulk memory instruction or an instruction of tables. */
function readBulk(reader: Reader): Write | undefined {
  const op = reader.unsigned();
  if (op === 15) return { kind: 'other', name: 'table.grow', index: reader.unsigned() };
  if (op === 10 || op === 11) {
    reader.skip(op === 10 ? 2 : 1);
    return { kind: 'range' };
  }
  if (op === 16) reader.skipNumber();
  else if (op > 7) throw new Error(`instruction fc ${op.toString(16)} is not known`);
  return undefined;
}
