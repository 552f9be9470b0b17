// Starts Pyodide's CPython without Pyodide's bridge. Only the WebAssembly module is started, so Python never has a `js`
// module, a proxy or another object of the host. The host accesses it from outside through CPython's C interface.
// @ts-expect-error: the module has no types
import createModule from 'pyodide/pyodide.asm.mjs';
import { HostImports, type Imports } from './hostImports.ts';
import { type Interpreter, interpreterOf } from './interpreter.ts';

/** Required parts of Pyodide. */
export interface InterpreterParts {
  readonly wasm: WebAssembly.Module | ArrayBuffer;
  /** Content of python_stdlib.zip. */
  readonly library: Uint8Array;
}

/** Parts of Emscripten's module that only the start uses. */
interface Emscripten {
  readonly ENV: Record<string, string>;
  readonly FS: { mkdirTree(path: string): void; writeFile(path: string, data: Uint8Array): void };
}

interface Start {
  readonly python: Interpreter;
  readonly hostImports: HostImports;
  readonly instance: WebAssembly.Instance;
  /** Imports that the instance received. */
  readonly imports: Imports;
  /** Number of table entries before the first addition. */
  readonly first: number;
}

const LIBRARY_PATH = '/lib/python314.zip';

/** Starts an interpreter with a fixed hash seed and without access to the host. */
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
    // Pyodide waits for its lock file, which never arrives, before it loads packages and the bridge.
    API: { config: { env: {} }, runtimeEnv: {}, lockFilePromise: new Promise(() => {}) },
    preRun: [
      ({ ENV, FS }: Emscripten) => {
        FS.mkdirTree('/lib/python3.14/site-packages');
        FS.mkdirTree('/lib/python3.14/lib-dynload');
        FS.writeFile(LIBRARY_PATH, library);
        const variables = { HOME: '/', LANG: 'C.UTF-8', PYTHONHASHSEED: '0', PYTHONINSPECT: '1', PYTHON_COLORS: '0' };
        Object.assign(ENV, variables);
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
        // Emscripten has its own views of the memory, so the views here must be refreshed.
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
