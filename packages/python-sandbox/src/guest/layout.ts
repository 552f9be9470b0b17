/** Offsets in structures of CPython 3.14 with 32-bit pointers [bytes]. `checkLayout` checks them for each image. */
import type { Interpreter } from './interpreter.ts';
import { newText, readCString } from './memoryAccess.ts';

export const TYPE = { name: 12, new: 156 } as const;
export const LONG = { tag: 8, digits: 12 } as const;
export const EXCEPTION = { traceback: 20 } as const;
export const TRACEBACK = { next: 8, frame: 12, lastInstruction: 16 } as const;
export const METHOD_DEFINITION = { name: 0, function: 4 } as const;
/** Descriptor of a C type, which contains a pointer to the C definition of the method. */
export const DESCRIPTOR = { definition: 20 } as const;

/** @throws {Error} if the structures of the interpreter differ from these offsets */
export function checkLayout(python: Interpreter): void {
  const readUint32 = (at: number) => python.HEAPU32[at >>> 2];
  const fail = (message: string) => {
    throw new Error(`this CPython is laid out in another way: ${message}`);
  };
  if (readCString(python, readUint32(python._PyLong_Type + TYPE.name), 100) !== 'int') fail('type names');
  const three = python._PyLong_FromLong(3);
  if (readUint32(three + LONG.tag) >>> 3 !== 1 || readUint32(three + LONG.digits) !== 3) fail('ints');
  const dict = python._PyType_GetDict(python._PyList_Type);
  const append = python._PyDict_GetItemString(dict, newText(python, 'append'));
  const definition = readUint32(append + DESCRIPTOR.definition);
  if (readCString(python, readUint32(definition + METHOD_DEFINITION.name), 100) !== 'append') fail('methods');
  python._Py_DecRef(dict);
}
