import { cString, type Interpreter } from './interpreter.ts';
import { newText } from './memoryAccess.ts';

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

/** A built-in function of Python. It gets (self, arguments, their number), and where it takes keywords their names; `self` is null. */
export function builtinFunction(python: Interpreter, name: string, call: Hook, keywords = false): number {
  const definition = python._malloc(16);
  const flags = keywords ? METH_FASTCALL | METH_KEYWORDS : METH_FASTCALL;
  const index = python.addFunction(call, keywords ? 'iiiii' : 'iiii');
  python.HEAPU32.set([cString(python, name), index, flags, 0], definition >>> 2);
  return python._PyCFunction_NewEx(definition, 0, 0);
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
