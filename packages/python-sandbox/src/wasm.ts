/** Encoder of WebAssembly's binary format, for the passes over Python's module and for functions of a worker. */

export const I32 = 0x7f;
export const I64 = 0x7e;
export const F64 = 0x7c;
/** Type of a block without a result. */
export const EMPTY = 0x40;

/** Encodes an unsigned number in LEB128. */
export function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}

/** Encodes a signed 32-bit number in LEB128. */
export function signed(value: number): number[] {
  const low = value & 127;
  const rest = value >> 7;
  const isLast = (rest === 0 && (low & 64) === 0) || (rest === -1 && (low & 64) !== 0);
  return isLast ? [low] : [low | 128, ...signed(rest)];
}

/** Encodes a name with its length. @param text at most 127 ASCII characters */
export function nameBytes(text: string): number[] {
  return [text.length, ...new TextEncoder().encode(text)];
}

/** Encoders of instructions. Names that end in Long refer to i64. */
export const op = {
  unreachable: [0x00],
  block: (type = EMPTY) => [0x02, type],
  loop: [0x03, EMPTY],
  if: [0x04, EMPTY],
  end: [0x0b],
  branch: (depth: number) => [0x0c, depth],
  branchIf: (depth: number) => [0x0d, depth],
  return: [0x0f],
  call: (index: number) => [0x10, ...unsigned(index)],
  select: [0x1b],
  get: (local: number) => [0x20, ...unsigned(local)],
  set: (local: number) => [0x21, ...unsigned(local)],
  tee: (local: number) => [0x22, ...unsigned(local)],
  read: (global: number) => [0x23, ...unsigned(global)],
  write: (global: number) => [0x24, ...unsigned(global)],
  loadLong: [0x29, 3, 0],
  storeByte: (offset: number) => [0x3a, 0, ...unsigned(offset)],
  constant: (value: number) => [0x41, ...signed(value)],
  long: (value: number) => [0x42, ...signed(value)],
  isZero: [0x45],
  isLess: [0x49],
  isLessOrEqual: [0x4d],
  isAtLeast: [0x4f],
  isZeroLong: [0x50],
  isLessLong: [0x53],
  add: [0x6a],
  subtract: [0x6b],
  shiftRight: [0x76],
  trailingZerosLong: [0x7a],
  subtractLong: [0x7d],
  /** Lower 32 bits of a 64-bit number. */
  toInt: [0xa7],
  /** Zero extension to 64 bits. */
  toLong: [0xad],
  longToFloat: [0xb9],
  /** Saturating conversion of a float to a signed 64-bit number. */
  floatToLong: [0xfc, 0x06],
  loadVector: (offset: number) => [0xfd, 0x00, 4, ...unsigned(offset)],
  orVector: [0xfd, 0x50],
  isAnyVector: [0xfd, 0x53],
} as const;
