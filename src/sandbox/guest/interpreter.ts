import { CEILING, GLOBAL_PREFIX, WORK } from '../moduleLayout.ts';
import { I32, op } from '../wasm.ts';
import { assemble } from './assembler.ts';
import { boundsOf, type WorkBounds } from './workBounds.ts';

/** A C function, or the address of a C variable: which of the two, its name says. */
export type CSymbol = ((...args: number[]) => number) & number;

/** A function of JavaScript that C code calls with ints. */
export type Hook = (...args: number[]) => number;

/** A CPython that runs in WebAssembly: its memory, its table, and its C functions and variables by name. */
export interface Interpreter {
  /** Views of the memory; a memory that has grown has others. */
  HEAPU8: Uint8Array;
  HEAPU32: Uint32Array;
  readonly memory: WebAssembly.Memory;
  readonly wasmTable: WebAssembly.Table;
  /** The globals that the module changes, its stack pointer among them. */
  readonly mutableGlobals: readonly WebAssembly.Global[];
  /** A module that was not rewritten has none. */
  readonly bounds: WorkBounds | undefined;
  /** Bytes that the memory may have at present. */
  memoryLimit: number;
  /** Write into memory, and mark nothing. */
  setUint32(at: number, value: number): void;
  setByte(at: number, value: number): void;
  /** Marks bytes that JavaScript has written. */
  mark(at: number, size: number): void;
  /** Grows the memory to this many bytes or more; 0 if no more memory is available. */
  grow(size: number): number;
  /** Updates the views after the memory has grown. */
  refresh(): void;
  /** A C function or variable, by its name with `_` before it. */
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
      // A fifth more than before, so that it does not grow at every block.
      for (const requested of [Math.max(size, Math.floor(1.2 * now)), size]) {
        try {
          memory.grow(Math.ceil((requested - now) / 65_536));
          python.refresh();
          return 1;
        } catch {
          // There is no more than that.
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

/** Puts a function of JavaScript that takes so many ints and returns one into the table, as a function of WebAssembly. */
export function putInTable({ wasmTable }: Interpreter, index: number, parameters: number, call: Hook): void {
  const signature = [Array(parameters).fill(I32), [I32]] as const;
  const code = [...signature[0].flatMap((_, i) => op.get(i)), ...op.call(0)];
  const instance = assemble([{ name: 'call', function: signature }], [{ name: 'call', signature, code }], { call });
  wasmTable.set(index, instance.call);
}
