import { cString, type Interpreter } from './interpreter.ts';
import { BUILTIN, GETSET, METHOD_DEFINITION } from './layout.ts';
import { newText } from './writing.ts';

export type Hook = (...args: number[]) => number;

const METH_FASTCALL = 0x80;
const METH_KEYWORDS = 0x02;

/** Replaces a C function that a structure in memory points to. `wrap` gets the old one and makes the new one. */
export function replaceFunction(
  python: Interpreter,
  at: number,
  signature: string,
  wrap: (original: Hook) => Hook,
): void {
  const index = python.HEAPU32[at >>> 2];
  if (index === 0) throw new Error('there is no C function to replace');
  const original = python.wasmTable.get(index) as Hook;
  python.HEAPU32[at >>> 2] = python.addFunction(wrap(original), signature);
}

/** The same, for a new one that calls the old one by its index in the table. */
export function replaceInTable(python: Interpreter, at: number, make: (original: number) => Hook): void {
  const index = python.HEAPU32[at >>> 2];
  if (index === 0) throw new Error('there is no C function to replace');
  python.HEAPU32[at >>> 2] = python.addFunction(make(index), '');
}

/** Replaces what a built-in function does, for all who hold it. */
export function replaceBuiltin(
  python: Interpreter,
  callable: number,
  signature: string,
  wrap: (original: Hook) => Hook,
): void {
  const definition = python.HEAPU32[(callable + BUILTIN.definition) >>> 2];
  replaceFunction(python, definition + METHOD_DEFINITION.function, signature, wrap);
}

/** A built-in function of Python. It gets (self, arguments, their number), and where it takes keywords their names; `self` is null. */
export function builtinFunction(python: Interpreter, name: string, call: Hook, keywords = false): number {
  const definition = python._malloc(16);
  const flags = keywords ? METH_FASTCALL | METH_KEYWORDS : METH_FASTCALL;
  const index = python.addFunction(call, keywords ? 'iiiii' : 'iiii');
  python.HEAPU32.set([cString(python, name), index, flags, 0], definition >>> 2);
  return python._PyCFunction_NewEx(definition, 0, 0);
}

/** Puts an attribute of our own into the dict of a type. */
export function replaceAttribute(python: Interpreter, type: number, name: string, get: Hook, set?: Hook): void {
  const definition = python._malloc(20);
  python.HEAPU32.fill(0, definition >>> 2, (definition >>> 2) + 5);
  python.HEAPU32[(definition + GETSET.name) >>> 2] = cString(python, name);
  python.HEAPU32[(definition + GETSET.get) >>> 2] = python.addFunction(get, 'iii');
  if (set) python.HEAPU32[(definition + GETSET.set) >>> 2] = python.addFunction(set, 'iiii');
  const dict = python._PyType_GetDict(type);
  const descriptor = python._PyDescr_NewGetSet(type, definition);
  python._PyDict_SetItemString(dict, cString(python, name), descriptor);
  python._Py_DecRef(descriptor);
  python._Py_DecRef(dict);
  python._PyType_Modified(type);
}

/** Sets a Python exception and gives back null, as C functions do. */
export function raise(python: Interpreter, exception: number, message: string): 0 {
  const text = newText(python, message);
  python._PyErr_SetString(exception, text);
  python._free(text);
  return 0;
}

/** The exception class that a C variable such as `PyExc_TypeError` points to. */
export function exception(
  python: Interpreter,
  name: 'TypeError' | 'AttributeError' | 'ImportError' | 'RuntimeError' | 'ValueError',
): number {
  return python.HEAPU32[python[`_PyExc_${name}`] >>> 2];
}
