import { CEILING, GLOBAL_PREFIX, WORK } from '../moduleLayout.ts';
import { I32, op } from '../wasm.ts';
import { assemble } from './assembler.ts';
import { boundsOf, type WorkBounds } from './workBounds.ts';

/** C function or address of a C variable. The name determines which of the two it is. */
export type CSymbol = ((...args: number[]) => number) & number;

/** JavaScript function that C code calls with ints. */
export type Hook = (...args: number[]) => number;

/** CPython in WebAssembly: memory, table, and C functions and variables by name. */
export interface Interpreter {
  /** Views of the memory. They are replaced when the memory grows. */
  HEAPU8: Uint8Array;
  HEAPU32: Uint32Array;
  readonly memory: WebAssembly.Memory;
  readonly wasmTable: WebAssembly.Table;
  /** Globals that the module changes, including its stack pointer. */
  readonly mutableGlobals: readonly WebAssembly.Global[];
  /** Bounds of work and memory; undefined for a module that was not rewritten. */
  readonly bounds: WorkBounds | undefined;
  /** Current limit of the memory [bytes]. */
  memoryLimit: number;
  /** Writes to memory without a mark. */
  setUint32(at: number, value: number): void;
  setByte(at: number, value: number): void;
  /** Marks bytes that JavaScript has written. */
  mark(at: number, size: number): void;
  /** Grows the memory to at least `size` bytes. Returns 1, or 0 if no more memory is available. */
  grow(size: number): number;
  /** Updates the views after the memory has grown. */
  refresh(): void;
  /** C function or variable, by its name with the prefix `_`. */
  readonly [name: `_${string}`]: CSymbol;
}

export function interpreterOf({ exports }: WebAssembly.Instance): Interpreter {
  const { [WORK]: work, [CEILING]: ceiling } = exports;
  const memory = exports.memory as WebAssembly.Memory;
  const entries = Object.entries(exports);
  let view = new DataView(memory.buffer);
  const python = {
    ...Object.fromEntries(
      entries.map(([name, value]) => [`_${name}`, value instanceof WebAssembly.Global ? value.value : value]),
    ),
    memory,
    wasmTable: exports.__indirect_function_table,
    mutableGlobals: entries.flatMap(([name, global]) => (name.startsWith(GLOBAL_PREFIX) ? [global] : [])),
    bounds: work && ceiling ? boundsOf({ work, ceiling }) : undefined,
    memoryLimit: Number.POSITIVE_INFINITY,
    setUint32: (at: number, value: number) => view.setUint32(at, value, true),
    setByte: (at: number, value: number) => view.setUint8(at, value),
    mark: () => {},
    grow(size: number) {
      const now = memory.buffer.byteLength;
      // The memory grows by at least 20 %, so that it does not grow at each allocation.
      for (const requested of [Math.max(size, Math.floor(1.2 * now)), size]) {
        try {
          memory.grow(Math.ceil((requested - now) / 65_536));
          python.refresh();
          return 1;
        } catch {
          // The memory cannot grow by this amount.
        }
      }
      return 0;
    },
    refresh() {
      view = new DataView(memory.buffer);
      python.HEAPU8 = new Uint8Array(memory.buffer);
      python.HEAPU32 = new Uint32Array(memory.buffer);
    },
  } as unknown as Interpreter;
  python.refresh();
  return python;
}

/** Adds a JavaScript function to the table as a WebAssembly function. @param parameters number of its int parameters */
export function putInTable({ wasmTable }: Interpreter, index: number, parameters: number, call: Hook): void {
  const signature = [Array(parameters).fill(I32), [I32]] as const;
  const code = [...signature[0].flatMap((_, i) => op.get(i)), ...op.call(0)];
  const instance = assemble([{ name: 'call', function: signature }], [{ name: 'call', signature, code }], { call });
  wasmTable.set(index, instance.call);
}
