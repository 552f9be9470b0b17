import { HostImports, type Imports } from './hostImports.ts';
import { type Interpreter, interpreterOf } from './interpreter.ts';
import type { Prepared } from './prepare.ts';

/** Started and prepared interpreter as data. Starting from an image executes no C code. */
export interface Image {
  /** Memory up to the last nonzero byte, in complete pages of 1 KiB. */
  readonly memory: Uint8Array<ArrayBuffer>;
  /** Size of the memory [bytes]. */
  readonly size: number;
  /** Values of the module's mutable globals. */
  readonly globals: readonly number[];
  /** Values of imported globals by group and name. */
  readonly imported: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Number of entries of the module's table, and exported functions that were added to it. */
  readonly table: number;
  readonly functions: readonly (readonly [index: number, name: string])[];
  readonly prepared: Prepared;
}

/** Parts of the interpreter that are required to start from an image. */
export interface ImageParts {
  readonly wasm: WebAssembly.Module | ArrayBuffer;
  readonly image: Image;
}

/** Starts an interpreter from its image. */
export async function resume({ wasm, image }: ImageParts) {
  const module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
  const hostImports = new HostImports();
  const imports = hostImports.replaceIn(module, importsOf(image));
  const instance = await WebAssembly.instantiate(module, imports as WebAssembly.Imports);
  const python = interpreterOf(instance);
  hostImports.python = python;
  hostImports.close();
  putImage(image, python, instance);
  return { python, hostImports };
}

function importsOf({ imported }: Image): Imports {
  const createGlobal = (value: number) => new WebAssembly.Global({ value: 'i32', mutable: true }, value);
  const groups = Object.entries(imported).map(([group, values]) => {
    const globals = Object.entries(values).map(([name, value]) => [name, createGlobal(value)]);
    return [group, Object.fromEntries(globals)];
  });
  return { ...Object.fromEntries(groups), env: {}, wasi_snapshot_preview1: {} };
}

function putImage(image: Image, python: Interpreter, { exports }: WebAssembly.Instance): void {
  const { memory, wasmTable, mutableGlobals } = python;
  const before = memory.buffer.byteLength;
  memory.grow((image.size - before) / 65_536);
  python.refresh();
  python.HEAPU8.set(image.memory);
  // Memory added by growth is already zero.
  if (image.memory.length < before) python.HEAPU8.fill(0, image.memory.length, before);
  image.globals.forEach((value, i) => {
    mutableGlobals[i].value = value;
  });
  wasmTable.grow(image.table - wasmTable.length);
  for (const [index, name] of image.functions) wasmTable.set(index, exports[name]);
}
