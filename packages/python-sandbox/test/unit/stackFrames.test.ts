import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Reader } from '../../src/build/binary.ts';
import { DELEGATE, opensBlock, readInstruction } from '../../src/build/instructions.ts';
import { readBodies, readFunctions, SECTION, sectionReader } from '../../src/build/sections.ts';
import { inCircles, reserveStack } from '../../src/build/stackFrames.ts';
import { pythonModule } from '../../src/host/pythonFiles.ts';

/** Returns a section of a WebAssembly module: its number, its size and its bytes. */
const section = (id: number, ...bytes: number[]) => [id, (bytes.length & 127) | 128, bytes.length >> 7, ...bytes];
const name = (text: string) => [text.length, ...new TextEncoder().encode(text)];
const [I32, POINTER, END] = [0x7f, 0, 0x0b];
const BASE = 40_000;

/** Pushes `local 0` minus 1. */
const LESS = [0x20, 0, 0x41, 1, 0x6b];
const pointer = [0x23, POINTER];
const ifZero = (...then: number[]) => [0x20, 0, 0x45, 0x04, 0x40, ...then, END];

/** Functions from an int to an int, by name. Each returns the stack pointer of its deepest call. */
const FUNCTIONS: Readonly<Record<string, number[]>> = {
  // Not part of a recursion.
  plain: [0x20, 0, 0x10, 1],
  leaf: pointer,
  // Calls itself through the table until its argument is 0, and then leaves by `return`.
  indirect: [...ifZero(...pointer, 0x0f), ...LESS, 0x41, 0, 0x11, 0, 0],
  // Calls itself, and leaves by a branch out of its body.
  direct: [...pointer, ...[0x20, 0, 0x45, 0x0d, 0], 0x1a, ...LESS, 0x10, 3],
  // Two functions that call each other.
  single: [...ifZero(...pointer, 0x0f), ...LESS, 0x10, 5],
  other: [...LESS, 0x10, 4],
  // Calls itself inside a `try` that delegates its exceptions to the function.
  delegating: [...ifZero(...pointer, 0x0f), 0x02, I32, 0x06, I32, ...LESS, 0x10, 6, DELEGATE, 1, END],
};

function source(): Uint8Array {
  const all = Object.entries(FUNCTIONS);
  const code = all.flatMap(([, body]) => [body.length + 2, 0, ...body, END]);
  const base = [0x41, 0xc0, 0xb8, 0x02];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, 1, 0x60, 1, I32, 1, I32),
    ...section(2, 0),
    ...section(3, all.length, ...all.map(() => 0)),
    ...section(4, 1, 0x70, 0, 1),
    ...section(6, 1, I32, 1, ...base, END),
    ...section(7, all.length + 1, ...name('pointer'), 3, POINTER, ...all.flatMap(([key], i) => [...name(key), 0, i])),
    ...section(9, 1, 0, 0x41, 0, END, 1, 2),
    ...section(10, all.length, ...code),
  ]);
}

const module = new WebAssembly.Module(reserveStack(source(), { pointer: POINTER, lowest: 10_000 }));

/** Returns the stack size of a call at its deepest point [bytes]. Expects that the call restores the pointer. */
function used(called: keyof typeof FUNCTIONS, argument: number): number {
  const { exports } = new WebAssembly.Instance(module);
  const deepest = (exports[called] as CallableFunction)(argument);
  expect((exports.pointer as WebAssembly.Global).value).toBe(BASE);
  return BASE - deepest;
}

test('a function that is in no recursion reserves no stack', () => {
  expect(used('plain', 0)).toBe(0);
  expect(used('leaf', 0)).toBe(0);
});

test.each(['indirect', 'direct', 'single', 'delegating'])(
  'each recursive call of %s reserves the same number of bytes, and releases them',
  (called) => {
    const levels = called === 'single' ? 2 : 1;
    const frame = used(called, 0);
    expect(frame).toBeGreaterThanOrEqual(64);
    expect(frame % 16).toBe(0);
    for (const depth of [1, 2, 50]) expect(used(called, depth * levels)).toBe(frame * (depth * levels + 1));
  },
);

test.each(['indirect', 'direct', 'single', 'delegating'])(
  'recursion of %s traps at the lowest address of the stack',
  (called) => {
    const frame = used(called, 0);
    const depth = Math.floor((BASE - 10_000) / frame) - 1;
    const even = called === 'single' ? depth - (depth % 2) : depth;
    expect(used(called, even)).toBe(frame * (even + 1));
    expect(() => used(called, even + 2)).toThrow(WebAssembly.RuntimeError);
  },
);

/** Returns the target of each `delegate` instruction: the opcode of a block, or undefined for the function. */
function delegateTargets(bytes: Uint8Array): (number | undefined)[] {
  const targets: (number | undefined)[] = [];
  const source = bytes.subarray(sectionReader(bytes)(SECTION.code).at);
  for (const { bytes: section, code, end } of readBodies(source, readFunctions(bytes))) {
    const reader = new Reader(section, code);
    const open: number[] = [];
    while (reader.at < end) {
      const { at } = reader;
      const instruction = section[at];
      readInstruction(reader);
      if (opensBlock(instruction)) open.push(instruction);
      else if (instruction === END) open.pop();
      else if (instruction === DELEGATE) {
        open.pop();
        targets.push(open[open.length - 1 - new Reader(section, at + 1).unsigned()]);
      }
    }
  }
  return targets;
}

// JavaScriptCore rejects a module with another target.
test('every delegate of the interpreter has a try or the function as its target', () => {
  const targets = delegateTargets(new Uint8Array(readFileSync(pythonModule())));
  expect(targets.length).toBeGreaterThan(100);
  expect(new Set(targets)).toEqual(new Set([0x06, undefined]));
  expect(delegateTargets(reserveStack(source(), { pointer: POINTER, lowest: 10_000 }))).toEqual([undefined]);
});

test('inCircles finds the nodes of a graph that are in a cycle', () => {
  expect(inCircles([[1], [2], [0], [0], [4], [], [5, 3]])).toEqual([true, true, true, false, true, false, false]);
  // A cycle of 100,000 nodes must not overflow the stack.
  const ring = Array.from({ length: 100_000 }, (_, i) => [(i + 1) % 100_000]);
  expect(inCircles(ring).every(Boolean)).toBe(true);
});
