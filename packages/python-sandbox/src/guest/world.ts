import { raise } from './errors.ts';
import { type Hook, type Interpreter, putInTable } from './interpreter.ts';
import { DESCRIPTOR, METHOD_DEFINITION } from './layout.ts';
import { newText, readInts, readText, writeUint32 } from './memoryAccess.ts';

const [METH_FASTCALL, METH_KEYWORDS] = [0x80, 0x02];

/** Modules that C code of the library imports for a program. */
const INTERNAL_MODULES = ['_strptime', 'copyreg'];
/** Range of the recursion limit that a program can set. Frames of Python functions do not use the machine stack. */
const [LEAST_DEEP, DEEPEST] = [100, 3_000];
const IMPORT_PARAMETERS = ['name', 'globals', 'locals', 'fromlist', 'level'];
/** Maximum length of a module name [characters]. All importable names are shorter. */
const LONGEST_NAME = 100;
const STREAMS = ['stdout', 'stderr', 'stdin'];

/** Function that returns a Python object that the prelude stored, by name. */
export type PreludeObjects = (name: string) => number;

/** Creates the globals and modules of programs, and one stream for output, errors and input. */
export function createProgramGlobals(python: Interpreter, prelude: PreludeObjects) {
  const modules = entriesOf(python, prelude('modules'));
  const re = python._PyModule_GetDict(modules.re);
  const reModules = entriesOf(python, prelude('reModules'));
  const dicts = prelude('dicts');
  const library = Array.from({ length: python._PyList_Size(dicts) }, (_, i) => python._PyList_GetItem(dicts, i));
  const getValue = prelude('getvalue');
  const globals = python._PyModule_GetDict(python._PyImport_AddModule(newText(python, '__main__')));
  const stream = python._PyObject_CallNoArgs(prelude('StringIO'));
  const sys = python._PyModule_GetDict(modules.sys);
  for (const name of STREAMS) python._PyDict_SetItemString(sys, newText(python, name), stream);
  const setRecursionLimit = addBuiltin(python, sys, 'setrecursionlimit', METH_FASTCALL);
  const builtins = python._PyModule_GetDict(modules.builtins);
  const importModule = addBuiltin(python, builtins, '__import__', METH_FASTCALL | METH_KEYWORDS);
  for (const name of ['__loader__', '__spec__']) {
    python._PyDict_SetItemString(globals, newText(python, name), python.__Py_NoneStruct);
  }
  const write = (python.HEAPU32[(prelude('write') + DESCRIPTOR.definition) >>> 2] + METHOD_DEFINITION.function) >>> 2;
  const writeUncapped = python.HEAPU32[write];
  const writeCapped = python.wasmTable.grow(1);
  python.HEAPU32[write] = writeCapped;
  return {
    /** Dict of `__main__`, which contains the program's globals, and objects of the stream and the modules. */
    ...{ globals, stream, getValue, modules },
    /** Dict of `re` and modules of its package. Only the code of `re` imports them late. */
    ...{ re, reModules },
    /** Dicts of all library modules. Code with one of these dicts as its globals is library code. */
    library,
    /** Table indices of the JavaScript functions, and of the C function that one of them calls. */
    table: { setRecursionLimit, importModule, writeCapped, writeUncut: writeUncapped },
  };
}

/** Adds a built-in function to a dict. @returns index of its table entry, which is still empty */
function addBuiltin(python: Interpreter, dict: number, name: string, flags: number): number {
  const text = newText(python, name);
  const definition = python._malloc(16);
  const index = python.wasmTable.grow(1);
  python.HEAPU32.set([text, index, flags, 0], definition >>> 2);
  python._PyDict_SetItemString(dict, text, python._PyCFunction_NewEx(definition, 0, 0));
  return index;
}

/** Returns the entries of a dict with str keys. */
function entriesOf(python: Interpreter, dict: number): Record<string, number> {
  const entries: Record<string, number> = {};
  const slots = python._malloc(12);
  writeUint32(python, slots, 0);
  while (python._PyDict_Next(dict, slots, slots + 4, slots + 8)) {
    const [, key, value] = readInts(python, slots, 3);
    entries[readText(python, key, LONGEST_NAME) ?? ''] = value;
  }
  python._free(slots);
  return entries;
}

/** Globals, modules and output of a program, as the host accesses them. */
export class World {
  /** Number of characters printed so far. */
  printed = 0;
  private readonly modules: ReadonlyMap<string, number>;
  private readonly reModules: ReadonlyMap<string, number>;
  private readonly library: ReadonlySet<number>;
  private output = 0;

  constructor(
    private readonly python: Interpreter,
    private readonly objects: ReturnType<typeof createProgramGlobals>,
  ) {
    const { modules, reModules, library, table } = objects;
    this.modules = new Map(Object.entries(modules));
    this.reModules = new Map(Object.entries(reModules));
    this.library = new Set(library);
    putInTable(python, table.setRecursionLimit, 3, (_, args, count) => this.setRecursionLimit(args, count));
    putInTable(python, table.importModule, 4, (_, args, count, names) => this.importModule(args, count, names));
    const write = python.wasmTable.get(table.writeUncut) as Hook;
    putInTable(python, table.writeCapped, 2, (self, text) => this.write(write, self, text));
  }

  get globals(): number {
    return this.objects.globals;
  }

  /** Starts a program. @param output maximum number of stored output characters */
  begin(output: number): void {
    this.printed = 0;
    this.output = output;
  }

  /** Returns the text that the test has printed, truncated to the limit. */
  text(): string {
    if (this.printed === 0) return '';
    const { python } = this;
    // The method of the type is called, because the program can replace the method of the stream.
    const got = python._PyObject_CallOneArg(this.objects.getValue, this.objects.stream);
    if (!got) python._PyErr_Clear();
    const text = got ? (readText(python, got, this.output) ?? '') : '';
    // Addresses differ between versions of the interpreter.
    return text.replace(/ at 0x[0-9a-f]{4,}>/g, ' at 0x>');
  }

  private setRecursionLimit(args: number, count: number): number {
    const { python } = this;
    const given = count === 1 ? python.HEAPU32[args >>> 2] : 0;
    if (!given || python.HEAPU32[(given + 4) >>> 2] !== python._PyLong_Type) {
      return raise(python, 'TypeError', 'setrecursionlimit() needs one int');
    }
    const requested = python._PyLong_AsLong(given);
    // An int that is too large for a C long is treated as the maximum.
    const limit = python._PyErr_Occurred() ? DEEPEST : requested;
    python._PyErr_Clear();
    if (limit < 1) return raise(python, 'ValueError', 'recursion limit must be greater or equal than 1');
    python._Py_SetRecursionLimit(Math.max(LEAST_DEEP, Math.min(limit, DEEPEST)));
    return python.__Py_NoneStruct;
  }

  /** Implements `__import__(name, globals, locals, fromlist, level)`. Library code can import all loaded modules. */
  private importModule(args: number, count: number, names: number): number {
    const { python } = this;
    // Keyword arguments follow the positional arguments.
    const named = names === 0 ? 0 : python._PyTuple_Size(names);
    const slots = IMPORT_PARAMETERS.map((_, i) => (i < count ? i : -1));
    for (let k = 0; k < named; k++) {
      const slot = IMPORT_PARAMETERS.indexOf(readText(python, python._PyTuple_GetItem(names, k), LONGEST_NAME) ?? '');
      if (slot < 0 || slots[slot] >= 0) {
        return raise(python, 'TypeError', '__import__() got an argument that it does not take');
      }
      slots[slot] = count + k;
    }
    const argument = (i: number) => (slots[i] < 0 ? 0 : python.HEAPU32[(args >>> 2) + slots[i]]);
    const isText = argument(0) !== 0 && python.HEAPU32[(argument(0) + 4) >>> 2] === python._PyUnicode_Type;
    const name = isText ? readText(python, argument(0), LONGEST_NAME) : undefined;
    if (name === undefined) return raise(python, 'TypeError', '__import__() needs the name of a module');
    const isLibrary = this.library.has(argument(1));
    const isRelative = argument(4) !== 0 && python._PyObject_IsTrue(argument(4)) === 1;
    if (isRelative && argument(1) !== this.objects.re) {
      return raise(python, 'ImportError', 'attempted relative import with no known parent package');
    }
    const module = isRelative ? (this.reModules.get(name) ?? 0) : this.module(name, argument(0), isLibrary);
    if (module === 0) return raise(python, 'ImportError', `module ${name} is closed in the sandbox`);
    const from = argument(3);
    const hasFrom = from !== 0 && python._PyObject_IsTrue(from) === 1;
    // Without names to import from `a.b`, the result is the package `a`.
    const isPackage = !hasFrom && name.includes('.');
    const result = isPackage ? (this.modules.get(name.split('.')[0]) ?? module) : module;
    python._Py_IncRef(result);
    return result;
  }

  /** Returns a borrowed reference to a module; 0 if the module is closed. */
  private module(name: string, text: number, isLibrary: boolean): number {
    const allowed = this.modules.get(name);
    if (allowed !== undefined) return allowed;
    if (name === '__main__' || isLibrary || INTERNAL_MODULES.includes(name)) {
      const { python } = this;
      return python._PyDict_GetItemWithError(python._PyImport_GetModuleDict(), text);
    }
    return 0;
  }

  /** Implements `StringIO.write` without storing output after the limit. */
  private write(write: Hook, self: number, text: number): number {
    const { python } = this;
    if (self !== this.objects.stream) return write(self, text);
    if (python.HEAPU32[(text + 4) >>> 2] !== python._PyUnicode_Type) {
      this.printed++;
      return write(self, text);
    }
    const length = python._PyUnicode_GetLength(text);
    if (this.printed > this.output) return python._PyLong_FromLong(length);
    this.printed += length;
    return write(self, text);
  }
}
