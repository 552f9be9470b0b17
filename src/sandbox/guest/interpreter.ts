import { CEILING, WORK } from '../moduleLayout.ts';
import type { HostImports } from './hostImports.ts';
import { type CSymbol, newText, type Readable, readText, type Writable } from './memoryAccess.ts';
import { type BoundGlobals, boundsOf, type WorkBounds } from './workBounds.ts';

/** A CPython that runs in WebAssembly: its C functions by name (with `_` before it), its memory and its table. */
export interface Interpreter extends Writable, Readable {
  readonly HEAP32: Int32Array;
  readonly wasmTable: WebAssembly.Table;
  memory: WebAssembly.Memory;
  addFunction(f: (...args: number[]) => number | undefined, signature: string): number;
  /** The globals that the module changes, its stack pointer among them. */
  ownGlobals: readonly WebAssembly.Global[];
  /** A module that was not rewritten has none. */
  bounds: WorkBounds | undefined;
  hostImports: HostImports;
  /** Called where memory seems to end. @throws where it may not reach up to this byte */
  mayReach(top: number): void;
  /** Makes memory this many bytes or more; 0 where there is none. */
  grow(size: number): number;
  readonly _malloc: CSymbol;
}

/** The names that the module's own globals are exported under (build/marking.ts). */
const OWN_GLOBAL = 'own_global_';

export type InterpreterPieces = Pick<Interpreter, 'memory' | 'wasmTable' | 'ownGlobals' | 'bounds'>;

/** What of an instance of the module is no C function. */
export function partsOf({ exports }: WebAssembly.Instance): InterpreterPieces {
  const ownGlobals = Object.entries(exports).filter(([name]) => name.startsWith(OWN_GLOBAL));
  const { [WORK]: work, [CEILING]: ceiling } = exports;
  return {
    bounds: work && ceiling ? boundsOf({ work, ceiling } as BoundGlobals) : undefined,
    memory: exports.memory as WebAssembly.Memory,
    wasmTable: exports.__indirect_function_table as WebAssembly.Table,
    ownGlobals: ownGlobals.map(([, global]) => global as WebAssembly.Global),
  };
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

/** Imports of CPython that are neither an import of ours nor Emscripten's: it stays as it is. */
export function smallImports(python: () => Interpreter | undefined): Record<string, WebAssembly.ImportValue> {
  const marker = Symbol('no error object');
  return {
    Jsv_GetError_import: () => marker,
    JsvError_Check: (value: unknown) => value === marker,
    _PyEM_TrampolineCall_JS: trampoline(python),
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
  throw new Error(`the sandbox's own Python failed: ${shown ? readText(python, shown, 10_000) : '?'}`);
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
