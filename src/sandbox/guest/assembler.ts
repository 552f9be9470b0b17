/** WebAssembly by hand, for the few functions of ours that run too often to be JavaScript. Bodies are lists of bytes. */

export const I32 = 0x7f;
export const I64 = 0x7e;
export const F64 = 0x7c;

/** A function's parameters and its results, each one of the types above. */
export type Signature = readonly [parameters: readonly number[], results: readonly number[]];

export type Import =
  | { readonly name: string; readonly function: Signature }
  | { readonly name: string; readonly global: number }
  | { readonly name: string; readonly from: 'memory' };

export interface Body {
  /** Name under which it is exported; functions without one can only be called inside. */
  readonly name?: string;
  readonly signature: Signature;
  /** Local variables besides the parameters, all i32. */
  readonly locals?: number;
  readonly code: readonly number[];
}

export const op = {
  end: [0x0b],
  return: [0x0f],
  /** Eight bytes at once. */
  loadLong: (offset = 0) => [0x29, 3, ...leb(offset)],
  /** Sixteen bytes at once. */
  loadVector: (offset = 0) => [0xfd, 0x00, 4, ...leb(offset)],
  orVector: [0xfd, 0x50],
  isAnyVector: [0xfd, 0x53],
  get: (local: number) => [0x20, local],
  set: (local: number) => [0x21, local],
  read: (global: number) => [0x23, global],
  write: (global: number) => [0x24, global],
  constant: (value: number) => [0x41, ...signedLeb(value)],
  call: (index: number) => [0x10, ...leb(index)],
  if: (type = 0x40) => [0x04, type],
  block: [0x02, 0x40],
  loop: [0x03, 0x40],
  branch: (depth: number) => [0x0c, depth],
  branchIf: (depth: number) => [0x0d, depth],
  isZero: [0x45],
  less: [0x49],
  atLeast: [0x4f],
  add: [0x6a],
  shiftRight: [0x76],
  unreachable: [0x00],
  long: (value: number) => [0x42, ...signedLeb(value)],
  subtractLong: [0x7d],
  isLessLong: [0x53],
  isZeroLong: [0x50],
  trailingZerosLong: [0x7a],
  /** The lower half of 64 bits. */
  toInt: [0xa7],
  /** The nearest that there is. */
  floatToLong: [0xfc, 0x06],
  longToFloat: [0xb9],
} as const;

/** A module of these functions. Imports come from one object, `host`; function indices count imported functions first. */
export function assemble(imports: readonly Import[], bodies: readonly Body[]) {
  const types: string[] = [];
  const encoded: number[][] = [];
  const typeOf = ([parameters, results]: Signature) => {
    const bytes = [0x60, parameters.length, ...parameters, results.length, ...results];
    const key = bytes.join();
    if (!types.includes(key)) encoded.push(bytes);
    return types.includes(key) ? types.indexOf(key) : types.push(key) - 1;
  };
  const imported = imports.map((item) => {
    const bytes = [...name('host'), ...name(item.name)];
    if ('function' in item) return [...bytes, 0, typeOf(item.function)];
    if ('global' in item) return [...bytes, 3, item.global, 1];
    return [...bytes, 2, 0, 1];
  });
  const before = imports.filter((item) => 'function' in item).length;
  const declared = bodies.map(({ signature }) => leb(typeOf(signature)));
  const exported = bodies.flatMap((body, i) => (body.name ? [[...name(body.name), 0, ...leb(before + i)]] : []));
  const code = bodies.map(({ locals = 0, code }) => {
    const bytes = [...(locals ? [1, locals, I32] : [0]), ...code, ...op.end];
    return [...leb(bytes.length), ...bytes];
  });
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, encoded),
    ...section(2, imported),
    ...section(3, declared),
    ...section(7, exported),
    ...section(10, code),
  ]);
}

function section(id: number, items: readonly number[][]): number[] {
  const content = [...leb(items.length), ...items.flat()];
  return [id, ...leb(content.length), ...content];
}

function name(text: string): number[] {
  return [text.length, ...new TextEncoder().encode(text)];
}

function leb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)];
}

function signedLeb(value: number): number[] {
  const low = value & 127;
  const rest = value >> 7;
  const isLast = (rest === 0 && (low & 64) === 0) || (rest === -1 && (low & 64) !== 0);
  return isLast ? [low] : [low | 128, ...signedLeb(rest)];
}
