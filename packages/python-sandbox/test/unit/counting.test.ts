import { expect, test } from 'vitest';
import { countWork } from '../../src/build/counting.ts';
import { CEILING, WORK } from '../../src/moduleLayout.ts';

/** Returns a section of a WebAssembly module: its number, its size and its bytes. */
const section = (id: number, ...bytes: number[]) => [id, (bytes.length & 127) | 128, bytes.length >> 7, ...bytes];
const name = (text: string) => [text.length, ...new TextEncoder().encode(text)];
const I32 = 0x7f;

/** Decrements `local 0` and branches back to the loop while it is not zero. */
const REPEAT = [0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0];
const nothing = (bytes: number) => Array<number>(bytes).fill(0x01);

/** Functions with one parameter, by name. */
const FUNCTIONS: Readonly<Record<string, number[]>> = {
  plain: [0x20, 0, 0x1a],
  loop: [0x03, 0x40, ...REPEAT, 0x0b],
  // 640 bytes per iteration.
  long: [0x03, 0x40, ...nothing(640 - 12), ...REPEAT, 0x0b],
  // A loop of 7 iterations inside the loop.
  nested: [0x03, 0x40, 0x41, 7, 0x21, 1, 0x03, 0x40, 0x20, 1, 0x41, 1, 0x6b, 0x22, 1, 0x0d, 0, 0x0b, ...REPEAT, 0x0b],
  // A loop with a branch table counts as a part of its code.
  choosing: [0x03, 0x40, ...nothing(6400), 0x02, 0x40, 0x20, 0, 0x0e, 1, 0, 0, 0x0b, ...REPEAT, 0x0b],
  straight: nothing(6400),
  // Divides the parameter by itself.
  dividing: [0x03, 0x40, 0x20, 0, 0x20, 0, 0x6e, 0x1a, ...REPEAT, 0x0b],
  // 16 nested square roots: 32 bytes of code per iteration.
  rooting: [0x03, 0x40, 0x44, ...Array<number>(8).fill(0), ...Array<number>(16).fill(0x9f), 0x1a, ...REPEAT, 0x0b],
  fill: [0x41, 0, 0x41, 5, 0x20, 0, 0xfc, 11, 0],
  copy: [0x41, 0, 0x41, 8, 0x20, 0, 0xfc, 10, 0, 0],
  // Stores the size of the memory at address 0.
  size: [0x41, 0, 0x3f, 0, 0x36, 2, 0],
  endless: [0x03, 0x40, 0x0c, 0, 0x0b],
};

function source(): Uint8Array {
  const all = Object.entries(FUNCTIONS);
  const code = all.flatMap(([, body]) => {
    const size = body.length + 4;
    return [(size & 127) | 128, size >> 7, 1, 1, I32, ...body, 0x0b];
  });
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, 1, 0x60, 1, I32, 0),
    ...section(2, 0),
    ...section(3, all.length, ...all.map(() => 0)),
    ...section(5, 1, 0, 2),
    ...section(6, 1, I32, 1, 0x41, 7, 0x0b),
    ...section(7, all.length + 1, ...name('memory'), 2, 0, ...all.flatMap(([key], i) => [...name(key), 0, i])),
    ...section(10, all.length, ...code),
  ]);
}

const counted = new WebAssembly.Module(countWork(source()));

/** Returns the amount that a call subtracts from the count. */
function cost(called: keyof typeof FUNCTIONS, argument: number, left = 1_000_000n): number {
  const { exports } = new WebAssembly.Instance(counted);
  const work = exports[WORK] as WebAssembly.Global<'i64'>;
  work.value = left;
  (exports[called] as CallableFunction)(argument);
  return Number(left - work.value);
}

test('an iteration of a loop costs work in proportion to its code, and more with divisions and roots', () => {
  expect(cost('plain', 3)).toBe(0);
  expect(cost('loop', 1)).toBe(1);
  expect(cost('loop', 1000)).toBe(1000);
  expect(cost('long', 20)).toBe(20 * 10);
  expect(cost('nested', 20)).toBe(20 + 20 * 7);
  expect(cost('choosing', 20)).toBe(20 * 4);
  expect(cost('dividing', 20)).toBe(20 * 4);
  expect(cost('rooting', 20)).toBe(20 * 7);
});

test('a call of a long function without branches costs work', () => {
  expect(cost('straight', 0)).toBe(100);
});

test('memory.fill and memory.copy cost work in proportion to their bytes', () => {
  expect(cost('fill', 64_000)).toBe(4008);
  expect(cost('copy', 64_000)).toBe(4008);
  // The start of an operation costs the work of 128 bytes.
  expect(cost('fill', 0)).toBe(8);
  expect(cost('fill', 31)).toBe(9);
});

test('counted functions trap if the remaining work falls below zero', () => {
  expect(cost('loop', 1000, 1000n)).toBe(1000);
  expect(() => cost('loop', 1001, 1000n)).toThrow(WebAssembly.RuntimeError);
  expect(() => cost('endless', 0)).toThrow('unreachable');
  expect(() => cost('copy', 64_000, 4007n)).toThrow('unreachable');
});

test('a counted module without a limit runs to its end', () => {
  const { exports } = new WebAssembly.Instance(counted);
  (exports.loop as CallableFunction)(100_000_000);
  expect((exports[WORK] as WebAssembly.Global<'i64'>).value).toBe(2n ** 62n - 100_000_000n);
});

test('memory.size in a counted module returns at most the ceiling', () => {
  const { exports } = new WebAssembly.Instance(counted);
  const ceiling = exports[CEILING] as WebAssembly.Global<'i32'>;
  const observed = [65_536, 3, 2, 1, 0].map((units) => {
    ceiling.value = units;
    (exports.size as CallableFunction)(0);
    return new Uint32Array((exports.memory as WebAssembly.Memory).buffer)[0];
  });
  expect(observed).toEqual([2, 2, 2, 1, 0]);
});

test('counted functions have the results of the original functions', () => {
  const { exports } = new WebAssembly.Instance(counted);
  (exports.fill as CallableFunction)(4);
  expect([...new Uint8Array((exports.memory as WebAssembly.Memory).buffer, 0, 6)]).toEqual([5, 5, 5, 5, 0, 0]);
});
