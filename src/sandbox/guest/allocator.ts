import { assemble, type Body, I32, op, type Signature } from './assembler.ts';
import type { Hook } from './hooks.ts';
import type { Interpreter } from './interpreter.ts';

/** malloc(context, size), calloc(context, count, size), realloc(context, block, size), free(context, block). */
export interface Allocator {
  readonly malloc: Hook;
  readonly calloc: Hook;
  readonly realloc: Hook;
  readonly free: Hook;
}

/** CPython's three families of allocation: raw, memory, objects. */
const DOMAINS = [0, 1, 2];
const NAMES = ['malloc', 'calloc', 'realloc', 'free'] as const;
const SMALLS = ['smallMalloc', 'smallCalloc', 'smallRealloc', 'smallFree'] as const;
const TWO: Signature = [[I32, I32], [I32]];
const THREE: Signature = [[I32, I32, I32], [I32]];
const FREE: Signature = [[I32, I32], []];
const SIGNATURES: readonly Signature[] = [TWO, THREE, THREE, FREE];

/** Blocks of up to so many bytes are objects, which steps pay for. */
const SMALL = op.constant(512);
const WIDE = op.constant(65_536);

/** Bytes of CPython's description of an allocator: a context and four functions. */
const DESCRIPTION = 20;

/**
 * Makes functions that stand before CPython's allocator for blocks over 512 bytes, while programs run. The small ones, thousands for each
 * program, must not pay for a call into JavaScript, so what tells them apart is WebAssembly.
 * @param running an i32, not zero while a program runs @param make gets the original functions
 * @returns what sets them in, until memory is put back. Even the way past them takes time, thousands of times a compilation.
 */
export function hookLargeBlocks(
  python: Interpreter,
  running: WebAssembly.Global,
  make: (original: Allocator) => Allocator,
): () => void {
  const tables = DOMAINS.map((domain) => {
    const table = python._malloc(DESCRIPTION);
    python._PyMem_GetAllocator(domain, table);
    const [, ...indices] = python.HEAPU32.subarray(table >>> 2, (table + DESCRIPTION) >>> 2);
    const [malloc, calloc, realloc, free] = indices.map((index) => python.wasmTable.get(index) as Hook);
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(sorter()), {
      host: {
        ...(make({ malloc, calloc, realloc, free }) as unknown as Record<string, WebAssembly.ImportValue>),
        ...{ smallMalloc: malloc, smallCalloc: calloc, smallRealloc: realloc, smallFree: free },
        running,
        memory: python.memory,
      },
    });
    const functions = NAMES.map((name) => python.addFunction(exports[name] as Hook, ''));
    python.HEAPU32.set(functions, (table >>> 2) + 1);
    return table;
  });
  return () => {
    for (const domain of DOMAINS) python._PyMem_SetAllocator(domain, tables[domain]);
  };
}

/** Holes are looked for from this size down to the smallest block that there is, each time an eighth smaller. */
const [LARGEST_HOLE, SMALLEST_HOLE] = [1 << 20, 8];

/**
 * Takes every hole that the start has left between blocks, for good. A program's blocks then lie side by side behind all others, and putting
 * them back is copying a few long pieces.
 */
export function fillHoles(python: Interpreter): void {
  const behind = python._malloc(LARGEST_HOLE);
  python._free(behind);
  for (let size = LARGEST_HOLE; size >= SMALLEST_HOLE; size -= Math.max(8, (size >>> 3) & ~7)) {
    let block = python._malloc(size);
    while (block !== 0 && block < behind) block = python._malloc(size);
    python._free(block);
  }
}

/** A module that calls the large functions or the original ones, by the size asked for or the size that stands before a block. */
function sorter(): Uint8Array<ArrayBuffer> {
  // The word before a block; for no block, some word that is always there.
  const block = op.get(1);
  const sizeOfBlock = [
    ...[...block, ...block, ...op.isZero, ...op.constant(4), ...op.shiftLeft],
    ...[...op.add, ...op.constant(4), ...op.subtract, ...op.load()],
  ];
  const over = (size: number[], limit: number[]) => [...size, ...limit, ...op.greater];
  const conditions = [
    over(op.get(1), SMALL),
    [
      ...over([...op.get(1), ...op.get(2), ...op.multiply], SMALL),
      ...[...over(op.get(1), WIDE), ...op.or, ...over(op.get(2), WIDE), ...op.or],
    ],
    [...over(op.get(2), SMALL), ...over(sizeOfBlock, SMALL), ...op.or],
    over(sizeOfBlock, SMALL),
  ];
  const bodies = NAMES.map((name, i): Body => {
    const signature = SIGNATURES[i];
    const pass = signature[0].flatMap((_, parameter) => op.get(parameter));
    const isLarge = [...conditions[i], ...op.read(0), ...op.and];
    const choice = [
      ...op.if(signature[1][0]),
      ...pass,
      ...op.call(i),
      ...op.else,
      ...pass,
      ...op.call(NAMES.length + i),
    ];
    return { name, signature, code: [...isLarge, ...choice, ...op.end] };
  });
  return assemble(
    [
      ...NAMES.map((name, i) => ({ name, function: SIGNATURES[i] })),
      ...SMALLS.map((name, i) => ({ name, function: SIGNATURES[i] })),
      { name: 'running', global: I32 },
      { name: 'memory', from: 'memory' },
    ],
    bodies,
  );
}
