import { expect, test } from 'vitest';
import { markWrites } from '../../src/build/marking.ts';

/** Returns a section of a WebAssembly module: its number, its size and its bytes. */
const section = (id: number, ...bytes: number[]) => [id, bytes.length, ...bytes];
const name = (text: string) => [text.length, ...new TextEncoder().encode(text)];
const I32 = 0x7f;
const [F64, F32, I64] = [0x7c, 0x7d, 0x7e];

/** Pushes local variables on the stack. */
const get = (...locals: number[]) => locals.flatMap((local) => [0x20, local]);

/** Functions of a module with a memory of 128 KiB, by name: types of parameters, and code. */
const FUNCTIONS: Readonly<Record<string, readonly [parameters: number[], code: number[]]>> = {
  store: [[I32, I32], [...get(0, 1), 0x36, 2, 0]],
  store8: [[I32, I32], [...get(0, 1), 0x3a, 0, 0]],
  store16: [[I32, I32], [...get(0, 1), 0x3b, 1, 0]],
  // Stores 4,094 bytes after the address.
  further: [[I32, I32], [...get(0, 1), 0x36, 2, 0xfe, 0x1f]],
  store64: [[I32, I64], [...get(0, 1), 0x37, 3, 0]],
  store64as8: [[I32, I64], [...get(0, 1), 0x3c, 0, 0]],
  float: [[I32, F32], [...get(0, 1), 0x38, 2, 0]],
  double: [[I32, F64], [...get(0, 1), 0x39, 3, 0]],
  copy: [[I32, I32, I32], [...get(0, 1, 2), 0xfc, 10, 0, 0]],
  fill: [[I32, I32, I32], [...get(0, 1, 2), 0xfc, 11, 0]],
  // Stores the first 8 words in a loop inside a block.
  loop: [[I32], [0x02, 0x40, 0x03, 0x40, ...get(0, 0), 0x36, 2, 0, ...get(0), 0x41, 4, 0x6a, 0x22, 0, 0x41, 32, 0x49, 0x0d, 0, 0x0b, 0x0b]],
  read: [[I32], [...get(0), 0x28, 2, 0, 0x1a]],
  // Store two words: at the address, and 60 bytes (`pair`) or one page (`apart`) after it.
  pair: [[I32], [...get(0, 0), 0x36, 2, 0, ...get(0, 0), 0x36, 2, 60]],
  apart: [[I32], [...get(0, 0), 0x36, 2, 0, ...get(0, 0), 0x36, 2, 0x80, 0x20]],
  // Stores at an address, then assigns another address to the variable and stores there.
  moved: [[I32, I32], [...get(0, 0), 0x36, 2, 0, ...get(1), 0x21, 0, ...get(0, 0), 0x36, 2, 0]],
  // Reads the address before the variable changes.
  before: [[I32, I32], [...get(0), ...get(1), 0x21, 0, ...get(0), 0x36, 2, 0]],
  // Stores only if the second parameter is not zero, and then returns.
  branch: [[I32, I32], [...get(1), 0x04, 0x40, ...get(0, 1), 0x36, 2, 0, 0x0f, 0x0b]],
  // The called function traps.
  called: [[I32], [...get(0, 0), 0x36, 2, 0, 0x41, 0x7f, 0x10, 11]],
}; // biome-ignore format: a table
const TABLE = 40_960;

function source(): Uint8Array {
  const all = Object.entries(FUNCTIONS);
  const types = all.flatMap(([, [parameters]]) => [0x60, parameters.length, ...parameters, 0]);
  const exported = all.flatMap(([key], i) => [...name(key), 0, i]);
  const code = all.flatMap(([, [, body]]) => [body.length + 2, 0, ...body, 0x0b]);
  const sized = (id: number, bytes: number[]) => [id, (bytes.length & 127) | 128, bytes.length >> 7, ...bytes];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...sized(1, [all.length, ...types]),
    ...section(2, 0),
    ...section(3, all.length, ...all.map((_, i) => i)),
    ...section(5, 1, 0, 2),
    ...section(6, 2, I32, 1, 0x41, 7, 0x0b, I32, 0, 0x41, 9, 0x0b),
    ...sized(7, [all.length + 1, ...name('memory'), 2, 0, ...exported]),
    ...sized(10, [all.length, ...code]),
  ]);
}

const marked = markWrites(source(), { table: TABLE, shift: 12, memory: 3 });

/** Calls functions of the rewritten module. @returns the marked pages, the memory and the exports */
function run(...calls: [name: keyof typeof FUNCTIONS, ...values: (number | bigint)[]][]) {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(marked.module));
  const memory = exports.memory as WebAssembly.Memory;
  for (const [called, ...values] of calls) (exports[called] as CallableFunction)(...values);
  const bytes = new Uint8Array(memory.buffer);
  return {
    bytes,
    pages: Array.from(bytes.keys())
      .slice(0, 32)
      .filter((page) => bytes[TABLE + page] !== 0),
    exports,
  };
}

test('a store instruction of any kind marks the page of its last byte', () => {
  const at = 3 * 4096 + 100;
  const cases = [
    ['store', 1], ['store8', 1], ['store16', 1], ['float', 1], ['double', 1], ['store64', 1n], ['store64as8', 1n],
  ] as const; // biome-ignore format: a table
  for (const [called, value] of cases) expect([called, run([called, at, value]).pages]).toEqual([called, [3]]);
  expect(run(['further', 4096, 1]).pages).toEqual([2]);
  expect(run(['read', at]).pages).toEqual([]);
});

test('a store across a page border marks the page of its last byte, and changes at most 7 bytes before it', () => {
  for (const [called, size, value] of [
    ['store', 4, -1],
    ['store64', 8, -1n],
  ] as const) {
    for (let before = 1; before < size; before++) {
      const { pages, bytes } = run([called, 5 * 4096 - before, value]);
      expect(pages).toEqual([5]);
      expect(bytes.subarray(0, 5 * 4096 - 7).some((byte) => byte !== 0)).toBe(false);
      expect(bytes[5 * 4096 - before]).toBe(255);
    }
  }
});

test('memory.fill and memory.copy mark each page that they change, and no page if they are empty', () => {
  expect(run(['fill', 4095, 7, 2]).pages).toEqual([0, 1]);
  expect(run(['fill', 4096, 7, 4096]).pages).toEqual([1]);
  expect(run(['fill', 4096, 7, 3 * 4096 + 1]).pages).toEqual([1, 2, 3, 4]);
  expect(run(['copy', 8192, 0, 4097]).pages).toEqual([2, 3]);
  expect(run(['fill', 4096, 7, 0]).pages).toEqual([]);
  expect(run(['fill', 4096, 7, 10]).bytes.subarray(4096, 4107)).toEqual(Uint8Array.from([...Array(10).fill(7), 0]));
});

test('a store in the table of marks marks the page of the table, even if it removes that mark', () => {
  const tablePage = TABLE / 4096;
  expect(run(['store', 8192, 1], ['store8', TABLE + 2, 0]).pages).toEqual([tablePage]);
  expect(run(['store8', TABLE + tablePage, 0]).pages).toEqual([tablePage]);
  expect(run(['fill', TABLE, 0, 32]).pages).toEqual([tablePage]);
  expect(run(['store64', TABLE + tablePage - 4, 0n]).pages).toEqual([tablePage]);
});

test('neighbouring stores set one mark, of the page of their last byte', () => {
  for (let before = 1; before < 64; before++) {
    const { pages, bytes } = run(['pair', 5 * 4096 - before]);
    expect(pages).toEqual([5]);
    expect(bytes.subarray(0, 5 * 4096 - 63).some((byte) => byte !== 0)).toBe(false);
  }
  expect(run(['pair', 4096]).pages).toEqual([1]);
  expect(run(['apart', 4096]).pages).toEqual([1, 2]);
  const tablePage = TABLE / 4096;
  expect(run(['store', 8192, 1], ['pair', TABLE]).pages).toContain(tablePage);
});

test('a mark is set before its address changes, and before a branch or call that may not return', () => {
  expect(run(['moved', 4096, 8192]).pages).toEqual([1, 2]);
  expect(run(['before', 4096, 8192]).pages).toEqual([1]);
  expect(run(['branch', 4096, 1]).pages).toEqual([1]);
  expect(run(['branch', 4096, 0]).pages).toEqual([]);
  expect(Object.keys(FUNCTIONS)[11]).toBe('read');
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(marked.module));
  expect(() => (exports.called as CallableFunction)(4096)).toThrow(WebAssembly.RuntimeError);
  const bytes = new Uint8Array((exports.memory as WebAssembly.Memory).buffer);
  expect(bytes[TABLE + 1]).toBe(1);
});

test('marked functions with locals and blocks have the results of the original functions', () => {
  const { bytes, pages } = run(['loop', 0]);
  expect(Array.from(new Uint32Array(bytes.buffer, 0, 9))).toEqual([0, 4, 8, 12, 16, 20, 24, 28, 0]);
  expect(pages).toEqual([0]);
});

test('markWrites exports the globals of a module and limits its memory', () => {
  const { exports } = run();
  const global = exports.own_global_0 as WebAssembly.Global;
  expect(global.value).toBe(7);
  global.value = 8;
  expect(global.value).toBe(8);
  const memory = exports.memory as WebAssembly.Memory;
  memory.grow(1);
  expect(() => memory.grow(1)).toThrow();
});

test('markWrites throws an error for an unknown instruction', () => {
  const bytes = source();
  const i = bytes.lastIndexOf(0x28);
  bytes[i] = 0xff;
  expect(() => markWrites(bytes, { table: TABLE, shift: 12, memory: 3 })).toThrow('instruction ff is not known');
});

test('markWrites counts the stores and ranges of a module', () => {
  expect(marked.counts).toEqual({ store: 18, range: 2 });
});
