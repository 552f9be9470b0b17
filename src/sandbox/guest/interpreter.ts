// Pyodide's CPython without Pyodide's bridge: only the WebAssembly module is started, so that Python never gets a `js`
// module, a proxy or any other object of the host. The host works on it from outside, through CPython's C interface.
// @ts-expect-error: the module has no types
import createModule from 'pyodide/pyodide.asm.mjs';
import { CEILING, WORK } from '../marks.ts';
import { Doors, type Imports } from './doors.ts';
import { newText, type Writable } from './writing.ts';

/** A C function, or the address of a C variable: which of the two, its name says. */
export type CSymbol = ((...args: number[]) => number) & number;

/** A CPython that runs in WebAssembly: its C functions by name (with `_` before it), its memory and its table. */
export interface Interpreter extends Writable {
  readonly HEAP32: Int32Array;
  readonly ENV: Record<string, string>;
  readonly FS: {
    mkdirTree(path: string): void;
    writeFile(path: string, data: Uint8Array): void;
    unlink(path: string): void;
  };
  readonly wasmTable: WebAssembly.Table;
  memory: WebAssembly.Memory;
  addFunction(f: (...args: number[]) => number | undefined, signature: string): number;
  UTF8ToString(pointer: number): string;
  stackSave(): number;
  stackRestore(pointer: number): void;
  /** The globals that the module changes, its stack pointer among them. */
  ownGlobals: readonly WebAssembly.Global[];
  /** Work that is left before the module traps, and units of 64 KiB that it may have (build/counting.ts); a module that was not rewritten has neither. */
  bounds: { readonly work: WebAssembly.Global<'i64'>; readonly ceiling: WebAssembly.Global<'i32'> } | undefined;
  doors: Doors;
  /** Asked by C code that runs long: the number of a signal, or 0. */
  signal(): number;
  /** Whether memory may reach up to this byte; asked where it seems to end. */
  mayReach(top: number): boolean;
  readonly _malloc: CSymbol;
  readonly [name: `_${string}`]: CSymbol;
}

/** The parts of Pyodide that are needed. */
export interface InterpreterParts {
  readonly wasm: WebAssembly.Module | ArrayBuffer;
  /** python_stdlib.zip. */
  readonly library: Uint8Array;
  /** Largest memory of the interpreter as a whole, in bytes. */
  readonly memory: number;
}

/** The names that the module's own globals are exported under (build/marking.ts). */
const OWN_GLOBAL = 'own_global_';
export const LIBRARY_PATH = '/lib/python314.zip';

/** Starts an interpreter with a fixed hash seed and without anything of the host in it. */
export async function startInterpreter({ wasm, library, memory }: InterpreterParts): Promise<Interpreter> {
  const module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
  const marker = Symbol('no error object');
  const messages: string[] = [];
  const note = (line: string) => messages.length < 50 && messages.push(line);
  let python: Interpreter | undefined;
  const doors = new Doors(() => {
    if (!python) throw new Error('there is no interpreter yet');
    return python;
  }, memory);
  let wasmMemory: WebAssembly.Memory | undefined;
  let ownGlobals: WebAssembly.Global[] = [];
  let bounds: Interpreter['bounds'];
  const settings = {
    noImageDecoding: true,
    noAudioDecoding: true,
    noWasmDecoding: true,
    print: note,
    printErr: note,
    thisProgram: '/python',
    arguments: [],
    locateFile: (name: string) => name,
    // Pyodide's own start waits for its lock file before it goes on to packages and to the bridge: it never gets one.
    API: { config: { env: {} }, runtimeEnv: {}, lockFilePromise: new Promise(() => {}) },
    preRun: [
      (started: Interpreter) => {
        python = started;
        Object.assign(python, { doors, mark: () => {}, signal: () => 0, mayReach: () => true });
        python.FS.mkdirTree('/lib/python3.14/site-packages');
        python.FS.mkdirTree('/lib/python3.14/lib-dynload');
        python.FS.writeFile(LIBRARY_PATH, library);
        Object.assign(python.ENV, { HOME: '/', PYTHONHASHSEED: '0', PYTHONINSPECT: '1', PYTHON_COLORS: '0' });
      },
    ],
    instantiateWasm(
      imports: WebAssembly.Imports,
      done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ) {
      const env = imports.env as Record<string, WebAssembly.ImportValue>;
      env.Jsv_GetError_import = () => marker;
      env.JsvError_Check = (value: unknown) => value === marker;
      const resize = env.emscripten_resize_heap as (top: number) => boolean;
      env.emscripten_resize_heap = (top: number) => python?.mayReach(top >>> 0) === true && resize(top);
      env._PyEM_TrampolineCall_JS = trampoline(() => python);
      WebAssembly.instantiate(module, doors.stand(module, imports as Imports) as WebAssembly.Imports).then(
        (instance) => {
          wasmMemory = instance.exports.memory as WebAssembly.Memory;
          ownGlobals = Object.entries(instance.exports)
            .filter(([name]) => name.startsWith(OWN_GLOBAL))
            .map(([, global]) => global as WebAssembly.Global);
          const { [WORK]: work, [CEILING]: ceiling } = instance.exports;
          if (work && ceiling) bounds = { work, ceiling } as Interpreter['bounds'];
          const table = instance.exports.__indirect_function_table as WebAssembly.Table;
          const first = table.length;
          done(instance, module);
          doors.listen(table, first, new Set(Object.values(instance.exports)));
        },
        note,
      );
      return {};
    },
  };
  python = (await createModule(settings)) as Interpreter;
  if (!wasmMemory) throw new Error('Python has no memory');
  python.memory = wasmMemory;
  python.ownGlobals = ownGlobals;
  python.bounds = bounds;
  if (python._Py_IsInitialized() !== 1) throw new Error(`Python did not start: ${messages.join('\n')}`);
  return python;
}

/**
 * Where WebAssembly cannot ask how many parameters a function has, CPython calls C functions by way of JavaScript, which does not mind.
 * Asking the table is slow: what it has answered is kept.
 */
function trampoline(python: () => Interpreter | undefined) {
  const functions: (((...args: number[]) => number) | undefined)[] = [];
  return (index: number, a: number, b: number, c: number): number => {
    const known = functions[index];
    if (known !== undefined) return known(a, b, c);
    const found = python()?.wasmTable.get(index) as (...args: number[]) => number;
    functions[index] = found;
    return found(a, b, c);
  };
}

/** Runs a piece of our own Python, for the start only. @param names its globals, which it adds to */
export function runOwn(python: Interpreter, source: string, names: number): void {
  const text = newText(python, source);
  const code = python._Py_CompileString(text, cString(python, '<sandbox>'), 257);
  python._free(text);
  python._PyDict_SetItemString(names, cString(python, '__builtins__'), python._PyEval_GetBuiltins());
  const result = code && python._PyEval_EvalCode(code, names, names);
  if (result) {
    python._Py_DecRef(result);
    return;
  }
  const error = python._PyErr_GetRaisedException();
  const shown = python._PyObject_Repr(error);
  throw new Error(`the sandbox's own Python failed: ${shown ? utf8(python, shown) : '?'}`);
}

const strings = new WeakMap<Interpreter, Map<string, number>>();
const sealed = new WeakSet<Interpreter>();

/** A C string that is kept for good; made before the first program, or else it would go with one. */
export function cString(python: Interpreter, text: string): number {
  const known = strings.get(python) ?? new Map<string, number>();
  strings.set(python, known);
  const found = known.get(text);
  if (found === undefined && sealed.has(python)) throw new Error(`there is no C string "${text}"`);
  const pointer = found ?? newText(python, text);
  known.set(text, pointer);
  return pointer;
}

/** From here on there are no new C strings. */
export function sealStrings(python: Interpreter): void {
  for (const text of LATE_STRINGS) cString(python, text);
  sealed.add(python);
}

/** Strings that are asked for while programs run. */
const LATE_STRINGS = ['msg', 'lineno'];

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** A Python str as a string; undefined where it has lone surrogates. */
export function utf8(python: Interpreter, object: number): string | undefined {
  const saved = python.stackSave();
  const size = python._stackAlloc(8) || saved;
  const bytes = python._PyUnicode_AsUTF8AndSize(object, size);
  const length = python.HEAPU32[size >>> 2];
  python.stackRestore(saved);
  if (bytes === 0) {
    python._PyErr_Clear();
    return undefined;
  }
  return decoder.decode(python.HEAPU8.subarray(bytes, bytes + length));
}
