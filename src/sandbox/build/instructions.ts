import { integerPower } from '../../numbers/powers.ts';
import type { Reader } from './binary.ts';

/** Types of values, in the order in which the rewriter keeps a local variable for each. */
export const VALUES = [0x7f, 0x7e, 0x7d, 0x7c, 0x7b] as const;

/** What an instruction writes to memory: a value at an address, or a range. */
export type Write =
  /** `value` is an index of VALUES; address and value are on the stack. */
  | { readonly kind: 'store'; readonly value: number; readonly offset: number; readonly size: number }
  /** Destination, source or byte, and length are on the stack. */
  | { readonly kind: 'range' }
  /** It changes what no page shows: the global or the table of this number, or how much memory there is. */
  | { readonly kind: 'other'; readonly name: string; readonly index: number };

/** Stores by opcode: the type of the value and how many bytes are written. */
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
/** Instructions after 0xfc that change memory or tables. */
const BULK: Readonly<Record<number, Write>> = {
  8: { kind: 'range' },
  10: { kind: 'range' },
  11: { kind: 'range' },
};
/** Those that change a table, by the place of the table's number among theirs. */
const TABLES: Readonly<Record<number, readonly [name: string, place: number]>> = {
  12: ['table.init', 1],
  14: ['table.copy', 0],
  15: ['table.grow', 0],
  17: ['table.fill', 0],
};

const isBetween = (low: number, value: number, high: number) => low <= value && value <= high;

/** Reads one instruction. @returns what it writes, if it does @throws {Error} for one that is not known */
export function readInstruction(reader: Reader): Write | undefined {
  const op = reader.byte();
  if (op === 0xfc) return readBulk(reader);
  if (op === 0xfd) return readVector(reader);
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
  else if (hasBlockType(op)) readBlock(reader, op);
  else if (op === 0x0e) for (let i = reader.unsigned(); i >= 0; i--) reader.skipNumber();
  else if (op === 0x1c) reader.skip(reader.unsigned());
  else if (hasTwoNumbers(op)) {
    reader.skipNumber();
    reader.skipNumber();
  } else if (hasNumber(op)) reader.skipNumber();
  else if (!isBare(op)) throw new Error(`instruction ${op.toString(16)} is not known`);
  if (op === 0x40) return { kind: 'other', name: 'memory.grow', index: 0 };
  return undefined;
}

const hasBlockType = (op: number) => [0x02, 0x03, 0x04, 0x06, 0x1f].includes(op);
const hasTwoNumbers = (op: number) => op === 0x11 || op === 0x13;
const hasNumber = (op: number) =>
  [0x07, 0x08, 0x09, 0x0c, 0x0d, 0x10, 0x12, 0x14, 0x15, 0x18, 0x3f, 0x40, 0x41, 0x42, 0xd0, 0xd2].includes(op) ||
  isBetween(0x20, op, 0x26);
const isBare = (op: number) =>
  [0x00, 0x01, 0x05, 0x0a, 0x0b, 0x0f, 0x19, 0x1a, 0x1b, 0xd1].includes(op) || isBetween(0x45, op, 0xc4);

function readOffset(reader: Reader): number {
  // Bit 6 of the alignment says that the number of a memory follows.
  if (reader.unsigned() & 64) reader.skipNumber();
  return reader.unsigned();
}

function readBlock(reader: Reader, op: number): void {
  // One byte for nothing or a type of value, else the number of a type.
  const type = reader.bytes[reader.at];
  if (type === 0x40 || isBetween(0x6f, type, 0x7f)) reader.skip(1);
  else reader.skipNumber();
  if (op !== 0x1f) return;
  for (let i = reader.unsigned(); i > 0; i--) {
    if (reader.byte() < 2) reader.skipNumber();
    reader.skipNumber();
  }
}

function readBulk(reader: Reader): Write | undefined {
  const op = reader.unsigned();
  if (op > 17) throw new Error(`instruction fc ${op.toString(16)} is not known`);
  const count = op <= 7 ? 0 : [8, 10, 12, 14].includes(op) ? 2 : 1;
  const numbers = Array.from({ length: count }, () => reader.unsigned());
  const table = TABLES[op];
  return table ? { kind: 'other', name: table[0], index: numbers[table[1]] } : BULK[op];
}

function readVector(reader: Reader): Write | undefined {
  const op = reader.unsigned();
  if (op > 0x113) throw new Error(`instruction fd ${op.toString(16)} is not known`);
  if (op === 12 || op === 13) reader.skip(16);
  else if (isBetween(21, op, 34)) reader.skip(1);
  else if (op <= 11 || isBetween(84, op, 93)) {
    const offset = readOffset(reader);
    if (isBetween(84, op, 91)) reader.skip(1);
    if (op === 11) return { kind: 'store', value: 4, size: 16, offset };
    if (isBetween(88, op, 91)) return { kind: 'store', value: 4, size: integerPower(2, op - 88), offset };
  }
  return undefined;
}
