// Pyodide's CPython without Pyodide's bridge: only the WebAssembly module is started, so that Python never gets a `js`
// module, a proxy or any other object of the host. The host works on it from outside, through CPython's C interface.
// @ts-expect-error: the module has no types
import createModule from 'pyodide/pyodide.asm.mjs';
import { HostImports, type Imports } from './hostImports.ts';
import { type Interpreter, partsOf, smallImports } from './interpreter.ts';

/** The parts of Pyodide that are needed. */
export interface InterpreterParts {
  readonly wasm: WebAssembly.Module | ArrayBuffer;
  /** python_stdlib.zip. */
  readonly library: Uint8Array;
  /** Largest memory of the interpreter as a whole, in bytes. */
  readonly memory: number;
}

/** What only Emscripten's start has. */
interface Started extends Interpreter {
  readonly ENV: Record<string, string>;
  readonly FS: {
    mkdirTree(path: string): void;
    writeFile(path: string, data: Uint8Array): void;
  };
}

interface Start {
  readonly python: Interpreter;
  readonly instance: WebAssembly.Instance;
  /** What the instance got. */
  readonly imports: Imports;
  /** Entries of the table before anything was put into it. */
  readonly first: number;
}

const LIBRARY_PATH = '/lib/python314.zip';

/** Starts an interpreter with a fixed hash seed and without anything of the host in it. */
export async function startInterpreter({ wasm, library, memory }: InterpreterParts): Promise<Start> {
  const module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
  let grow = (_size: number): number => 0;
  const messages: string[] = [];
  const note = (line: string) => messages.length < 50 && messages.push(line);
  let python: Started | undefined;
  const hostImports = new HostImports(() => {
    if (!python) throw new Error('there is no interpreter yet');
    return python;
  }, memory);
  let made: Omit<Start, 'python'> | undefined;
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
      (started: Started) => {
        python = started;
        const unbound = { mark: () => {}, mayReach: () => {} };
        Object.assign(python, { hostImports, ...unbound, ...writers(started), grow: (size: number) => grow(size) });
        python.FS.mkdirTree('/lib/python3.14/site-packages');
        python.FS.mkdirTree('/lib/python3.14/lib-dynload');
        python.FS.writeFile(LIBRARY_PATH, library);
        Object.assign(python.ENV, {
          HOME: '/',
          LANG: 'C.UTF-8',
          PYTHONHASHSEED: '0',
          PYTHONINSPECT: '1',
          PYTHON_COLORS: '0',
        });
      },
    ],
    instantiateWasm(
      imports: WebAssembly.Imports,
      done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ) {
      const env = imports.env as Record<string, WebAssembly.ImportValue>;
      Object.assign(
        env,
        smallImports(() => python),
      );
      grow = env.emscripten_resize_heap as unknown as typeof grow;
      const given = hostImports.replaceIn(module, imports as Imports);
      WebAssembly.instantiate(module, given as WebAssembly.Imports).then((instance) => {
        const table = instance.exports.__indirect_function_table as WebAssembly.Table;
        const first = table.length;
        made = { instance, imports: given, first };
        done(instance, module);
        hostImports.findInTable(table, first, new Set(Object.values(instance.exports)));
      }, note);
      return {};
    },
  };
  python = (await createModule(settings)) as Started;
  if (!made) throw new Error('Python has no memory');
  Object.assign(python, partsOf(made.instance));
  if (python._Py_IsInitialized() !== 1) throw new Error(`Python did not start: ${messages.join('\n')}`);
  return { python, ...made };
}

function writers(python: Started): Pick<Interpreter, 'setWord' | 'setByte'> {
  return {
    setWord: (at, value) => {
      python.HEAPU32[at >>> 2] = value;
    },
    setByte: (at, value) => {
      python.HEAPU8[at] = value;
    },
  };
}
