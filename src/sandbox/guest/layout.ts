/** Where CPython 3.14 keeps things, in bytes, on a machine with 32-bit pointers. `checkLayout` compares them at the start. */
import { cString, type Interpreter } from './interpreter.ts';

export const TYPE = {
  name: 12,
  asNumber: 48,
  asSequence: 52,
  flags: 84,
  richCompare: 100,
  iter: 108,
  iterNext: 112,
  getDescriptor: 136,
  setDescriptor: 140,
  init: 148,
  new: 156,
} as const;

export const NUMBER = {
  subtract: 4,
  multiply: 8,
  remainder: 12,
  divmod: 16,
  power: 20,
  leftShift: 44,
  and: 52,
  int: 64,
  floorDivide: 116,
  trueDivide: 120,
} as const;
export const SEQUENCE = { contains: 28 } as const;
export const LONG = { tag: 8, digits: 12 } as const;
export const EXCEPTION = { traceback: 20 } as const;
export const TRACEBACK = { next: 8, frame: 12, lastInstruction: 16 } as const;
/** A built-in function: its definition. */
export const BUILTIN = { definition: 8 } as const;
export const METHOD_DEFINITION = { name: 0, function: 4, flags: 8 } as const;
/** A descriptor of a C type: the C structure it stands for. */
export const DESCRIPTOR = { definition: 20, wrapped: 24 } as const;
export const GETSET = { name: 0, get: 4, set: 8, doc: 12, closure: 16 } as const;
/** Where an iterator over a list or a tuple stands. */
export const ITERATOR_INDEX = 8;
/** Bytes of a memory view. */
export const MEMORYVIEW = { length: 36 } as const;

/** @throws where the interpreter's structures are not those that the sandbox was written for */
export function checkLayout(python: Interpreter): void {
  const word = (at: number) => python.HEAPU32[at >>> 2];
  const fail = (what: string) => {
    throw new Error(`this CPython is laid out in another way: ${what}`);
  };
  if (python.UTF8ToString(word(python._PyLong_Type + TYPE.name)) !== 'int') fail('type names');
  const three = python._PyLong_FromLong(3);
  if (word(three + LONG.tag) >>> 3 !== 1 || word(three + LONG.digits) !== 3) fail('ints');
  const bytes = python._PyBytes_FromStringAndSize(0, 1234);
  const view = python._PyMemoryView_FromObject(bytes);
  if (word(view + MEMORYVIEW.length) !== 1234) fail('memory views');
  for (const object of [view, bytes]) python._Py_DecRef(object);
  // A slot wrapper holds the C function of its slot, which the type's tables must hold at our offsets.
  const check = (type: number, name: string, at: number) => {
    const dict = python._PyType_GetDict(type);
    const wrapper = python._PyDict_GetItemString(dict, cString(python, name));
    if (!wrapper || word(wrapper + DESCRIPTOR.wrapped) !== word(at)) fail(name);
    python._Py_DecRef(dict);
  };
  const numbers = word(python._PyLong_Type + TYPE.asNumber);
  check(python._PyLong_Type, '__mul__', numbers + NUMBER.multiply);
  check(python._PyLong_Type, '__mod__', numbers + NUMBER.remainder);
  check(python._PyLong_Type, '__divmod__', numbers + NUMBER.divmod);
  check(python._PyLong_Type, '__pow__', numbers + NUMBER.power);
  check(python._PyLong_Type, '__lshift__', numbers + NUMBER.leftShift);
  check(python._PyLong_Type, '__sub__', numbers + NUMBER.subtract);
  check(python._PyLong_Type, '__and__', numbers + NUMBER.and);
  check(python._PyLong_Type, '__int__', numbers + NUMBER.int);
  check(python._PyLong_Type, '__truediv__', numbers + NUMBER.trueDivide);
  check(python._PyList_Type, '__init__', python._PyList_Type + TYPE.init);
  check(python._PyLong_Type, '__floordiv__', numbers + NUMBER.floorDivide);
  check(python._PyList_Type, '__contains__', word(python._PyList_Type + TYPE.asSequence) + SEQUENCE.contains);
  check(python._PyRangeIter_Type, '__next__', python._PyRangeIter_Type + TYPE.iterNext);
  check(python._PyRange_Type, '__iter__', python._PyRange_Type + TYPE.iter);
  check(python._PyFunction_Type, '__get__', python._PyFunction_Type + TYPE.getDescriptor);
  const property = python._PyType_GetDict(python._PyProperty_Type);
  const doc = python._PyDict_GetItemString(property, cString(python, '__doc__'));
  if (word(word(doc + 4) + TYPE.setDescriptor) === 0) fail('descriptors');
  python._Py_DecRef(property);
  check(python._PyList_Type, '__eq__', python._PyList_Type + TYPE.richCompare);
}
