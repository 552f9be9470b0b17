import { HostImports, type Imports } from './hostImports.ts';
import { type Interpreter, interpreterOf } from './interpreter.ts';
import type { Prepared } from './prepare.ts';

/** An interpreter that was started and prepared once, as data: starting from an image runs no C code. */
export interface Image {
  /** From the first byte to the last that is not zero, in whole pages of a kilobyte. */
  readonly memory: Uint8Array<ArrayBuffer>;
  /** Size of the memory in bytes. */
  readonly size: number;
  /** The module's own globals. */
  readonly globals: readonly number[];
  /** Globals that the module imports, by group and name. */
  readonly imported: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Number of entries of the module's table, and the module's functions that were put into it, by name. */
  readonly table: number;
  readonly functions: readonly (readonly [index: number, name: string])[];
  readonly prepared: Prepared;
}

/** The parts that a start from an image needs. */
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
  const globals = Object.entries(imported).map(([group, values]) => [
    group,
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        new WebAssembly.Global({ value: 'i32', mutable: true }, value),
      ]),
    ),
  ]);
  return { ...Object.fromEntries(globals), env: {}, wasi_snapshot_preview1: {} };
}

function putImage(image: Image, python: Interpreter, { exports }: WebAssembly.Instance): void {
  const { memory, wasmTable, mutableGlobals } = python;
  const before = memory.buffer.byteLength;
  memory.grow((image.size - before) / 65_536);
  python.refresh();
  python.HEAPU8.set(image.memory);
  // Memory that was added by growth is zero.
  if (image.memory.length < before) python.HEAPU8.fill(0, image.memory.length, before);
  image.globals.forEach((value, i) => {
    mutableGlobals[i].value = value;
  });
  wasmTable.grow(image.table - wasmTable.length);
  for (const [index, name] of image.functions) wasmTable.set(index, exports[name]);
}
