import { builtinFunction, exception, raise, replaceFunction } from './hooks.ts';
import { cString, type Interpreter } from './interpreter.ts';
import { DESCRIPTOR, METHOD_DEFINITION } from './layout.ts';
import { readText } from './memoryAccess.ts';
import type { PreludeObjects } from './preludeObjects.ts';

/** Modules that C code of the library imports on a program's behalf. */
const BEHIND = ['_strptime', 'copyreg'];
/** Deepest recursion that a program may ask for; frames of Python functions do not use the machine's stack. */
const [LEAST_DEEP, DEEPEST] = [100, 3_000];
const IMPORT_PARAMETERS = ['name', 'globals', 'locals', 'fromlist', 'level'];
/** Characters of a module's name, longer than that of any module. */
const LONGEST_NAME = 100;
const STREAMS = ['stdout', 'stderr', 'stdin'];

/** What a program finds around it: its globals, the modules that it may import, one stream for output, errors and input. */
export class World {
  /** The dict of the module `__main__`: the program's globals. */
  readonly globals: number;
  /** Characters printed so far. */
  printed = 0;
  private readonly stream: number;
  private readonly getValue: number;
  private readonly modules: ReadonlyMap<string, number>;
  /** The dict of `re`, and the modules of that package: its own code alone imports late from beside itself. */
  private readonly re: number;
  private readonly besideRe: ReadonlyMap<string, number>;
  /** Dicts of all modules: what runs in one of them is the library's own code. */
  private readonly library: ReadonlySet<number>;
  private output = 0;

  constructor(
    private readonly python: Interpreter,
    kept: PreludeObjects,
  ) {
    this.modules = kept.map('modules');
    this.re = python._PyModule_GetDict(this.modules.get('re') ?? 0);
    this.besideRe = kept.map('besideRe');
    this.library = new Set(kept.list('dicts'));
    this.getValue = kept.get('getvalue');
    this.globals = python._PyModule_GetDict(python._PyImport_AddModule(cString(python, '__main__')));
    this.stream = python._PyObject_CallNoArgs(kept.get('StringIO'));
    const sys = python._PyModule_GetDict(this.modules.get('sys') ?? 0);
    for (const name of STREAMS) python._PyDict_SetItemString(sys, cString(python, name), this.stream);
    this.put(sys, 'setrecursionlimit', (_, args, count) => this.setRecursionLimit(args, count), false);
    const builtins = python._PyModule_GetDict(this.modules.get('builtins') ?? 0);
    this.put(builtins, '__import__', (_, args, count, names) => this.importModule(args, count, names), true);
    for (const name of ['__loader__', '__spec__']) {
      python._PyDict_SetItemString(this.globals, cString(python, name), python.__Py_NoneStruct);
    }
    this.capOutput(kept.get('write'));
  }

  /** @param output characters that are kept of what is printed */
  begin(output: number): void {
    this.printed = 0;
    this.output = output;
  }

  /** What the test has printed. */
  text(): string {
    if (this.printed === 0) return '';
    const { python } = this;
    // The type's own method: the stream may have got another of that name.
    const got = python._PyObject_CallOneArg(this.getValue, this.stream);
    if (!got) python._PyErr_Clear();
    const text = got ? (readText(python, got, this.output) ?? '') : '';
    // Addresses would differ in another version of the interpreter.
    return text.replace(/ at 0x[0-9a-f]{4,}>/g, ' at 0x>');
  }

  private put(dict: number, name: string, call: (...args: number[]) => number, keywords: boolean): void {
    const { python } = this;
    python._PyDict_SetItemString(dict, cString(python, name), builtinFunction(python, name, call, keywords));
  }

  private setRecursionLimit(args: number, count: number): number {
    const { python } = this;
    const given = count === 1 ? python.HEAPU32[args >>> 2] : 0;
    if (!given || python.HEAPU32[(given + 4) >>> 2] !== python._PyLong_Type) {
      return raise(python, exception(python, 'TypeError'), 'setrecursionlimit() needs one int');
    }
    const asked = python._PyLong_AsLong(given);
    // An int that is too large for a C long is as large as one can ask.
    const limit = python._PyErr_Occurred() ? DEEPEST : asked;
    python._PyErr_Clear();
    if (limit < 1) {
      return raise(python, exception(python, 'ValueError'), 'recursion limit must be greater or equal than 1');
    }
    python._Py_SetRecursionLimit(Math.max(LEAST_DEEP, Math.min(limit, DEEPEST)));
    return python.__Py_NoneStruct;
  }

  /** `__import__(name, globals, locals, fromlist, level)`: what is allowed, and for the library's own code what there is. */
  private importModule(args: number, count: number, names: number): number {
    const { python } = this;
    // Those with a name stand behind the others.
    const named = names === 0 ? 0 : python._PyTuple_Size(names);
    const slots = IMPORT_PARAMETERS.map((_, i) => (i < count ? i : -1));
    for (let k = 0; k < named; k++) {
      const slot = IMPORT_PARAMETERS.indexOf(readText(python, python._PyTuple_GetItem(names, k), LONGEST_NAME) ?? '');
      if (slot < 0 || slots[slot] >= 0) {
        return raise(python, exception(python, 'TypeError'), '__import__() got an argument that it does not take');
      }
      slots[slot] = count + k;
    }
    const argument = (i: number) => (slots[i] < 0 ? 0 : python.HEAPU32[(args >>> 2) + slots[i]]);
    const isText = argument(0) !== 0 && python.HEAPU32[(argument(0) + 4) >>> 2] === python._PyUnicode_Type;
    const name = isText ? readText(python, argument(0), LONGEST_NAME) : undefined;
    if (name === undefined) {
      return raise(python, exception(python, 'TypeError'), '__import__() needs the name of a module');
    }
    const isLibrary = this.library.has(argument(1));
    const isRelative = argument(4) !== 0 && python._PyObject_IsTrue(argument(4)) === 1;
    if (isRelative && argument(1) !== this.re) {
      return raise(python, exception(python, 'ImportError'), 'attempted relative import with no known parent package');
    }
    const module = isRelative ? (this.besideRe.get(name) ?? 0) : this.module(name, argument(0), isLibrary);
    if (module === 0) {
      return raise(python, exception(python, 'ImportError'), `module ${name} is closed in the sandbox`);
    }
    const from = argument(3);
    const whole = from !== 0 && python._PyObject_IsTrue(from) === 1 ? module : this.package(name, module);
    python._Py_IncRef(whole);
    return whole;
  }

  private package(name: string, module: number): number {
    return name.includes('.') ? (this.modules.get(name.split('.')[0]) ?? module) : module;
  }

  /** A borrowed pointer; 0 where the module is closed. */
  private module(name: string, text: number, isLibrary: boolean): number {
    const allowed = this.modules.get(name);
    if (allowed !== undefined) return allowed;
    if (name === '__main__' || isLibrary || BEHIND.includes(name)) {
      const { python } = this;
      return python._PyDict_GetItemWithError(python._PyImport_GetModuleDict(), text);
    }
    return 0;
  }

  private capOutput(method: number): void {
    const { python } = this;
    const definition = python.HEAPU32[(method + DESCRIPTOR.definition) >>> 2];
    replaceFunction(python, definition + METHOD_DEFINITION.function, 'iii', (write) => (self, text) => {
      if (self !== this.stream) return write(self, text);
      if (python.HEAPU32[(text + 4) >>> 2] !== python._PyUnicode_Type) {
        this.printed++;
        return write(self, text);
      }
      const length = python._PyUnicode_GetLength(text);
      if (this.printed > this.output) return python._PyLong_FromLong(length);
      this.printed += length;
      return write(self, text);
    });
  }
}
