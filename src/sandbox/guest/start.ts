// Pyodide's CPython without Pyodide's bridge: only the WebAssembly module is started, so that Python never gets a `js`
// module, a proxy or any other object of the host. The host works on it from outside, through CPython's C interface.
// @ts-expect-error: the module has no types
import createModule from 'pyodide/pyodide.asm.mjs';
import { HostImports, type Imports } from './hostImports.ts';
import { type Interpreter, interpreterOf } from './interpreter.ts';

/** The parts of Pyodide that are needed. */
export interface InterpreterParts {
  readonly wasm: WebAssembly.Module | ArrayBuffer;
  /** python_stdlib.zip. */
  readonly library: Uint8Array;
}

/** The parts of Emscripten's module that only the start uses. */
interface Emscripten {
  readonly ENV: Record<string, string>;
  readonly FS: {
    mkdirTree(path: string): void;
    writeFile(path: string, data: Uint8Array): void;
  };
}

interface Start {
  readonly python: Interpreter;
  readonly hostImports: HostImports;
  readonly instance: WebAssembly.Instance;
  /** Imports that the instance received. */
  readonly imports: Imports;
  /** Entries of the table before anything was put into it. */
  readonly first: number;
}

const LIBRARY_PATH = '/lib/python314.zip';

/** Starts an interpreter with a fixed hash seed and without anything of the host in it. */
export async function startInterpreter({ wasm, library }: InterpreterParts): Promise<Start> {
  const module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
  const messages: string[] = [];
  const note = (line: string) => messages.length < 50 && messages.push(line);
  const hostImports = new HostImports();
  let start: Start | undefined;
  const settings = {
    noImageDecoding: true,
    noAudioDecoding: true,
    noWasmDecoding: true,
    print: note,
    printErr: note,
    thisProgram: '/python',
    arguments: [],
    locateFile: (name: string) => name,
    // Pyodide's start waits for its lock file before it continues with packages and the bridge: the file never arrives.
    API: { config: { env: {} }, runtimeEnv: {}, lockFilePromise: new Promise(() => {}) },
    preRun: [
      ({ ENV, FS }: Emscripten) => {
        FS.mkdirTree('/lib/python3.14/site-packages');
        FS.mkdirTree('/lib/python3.14/lib-dynload');
        FS.writeFile(LIBRARY_PATH, library);
        Object.assign(ENV, {
          HOME: '/',
          LANG: 'C.UTF-8',
          PYTHONHASHSEED: '0',
          PYTHONINSPECT: '1',
          PYTHON_COLORS: '0',
        });
      },
    ],
    instantiateWasm(
      given: WebAssembly.Imports,
      done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ) {
      const imports = hostImports.replaceIn(module, given as Imports);
      const grow = given.env.emscripten_resize_heap as (size: number) => number;
      WebAssembly.instantiate(module, imports as WebAssembly.Imports).then((instance) => {
        const python = interpreterOf(instance);
        // Emscripten has separate views.
        python.grow = (size) => {
          const isGrown = grow(size);
          python.refresh();
          return isGrown;
        };
        hostImports.python = python;
        const first = python.wasmTable.length;
        start = { python, hostImports, instance, imports, first };
        done(instance, module);
      }, note);
      return {};
    },
  };
  await createModule(settings);
  if (start?.python._Py_IsInitialized() !== 1) throw new Error(`Python did not start: ${messages.join('\n')}`);
  start.python.refresh();
  return start;
}
