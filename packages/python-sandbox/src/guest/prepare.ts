import { createAttributeNames } from './errors.ts';
import { boundStack, RUN_STACK } from './fuelMeter.ts';
import type { HostImports } from './hostImports.ts';
import type { Interpreter } from './interpreter.ts';
import { checkLayout, TYPE } from './layout.ts';
import { MODULES, PRELUDE } from './library.ts';
import { allocateBlocks } from './marshal.ts';
import { newText, readText } from './memoryAccess.ts';
import { createProgramGlobals, type PreludeObjects } from './world.ts';

/** Start symbol of Python's grammar for a file. */
export const FILE_INPUT = 257;
/** Compiler flags: the source is UTF-8 regardless of its coding line. */
const COMPILER_FLAGS = 0x0100 | 0x0800;

/** Addresses and table indices that the host reads. They are plain data and a part of the image. */
export type Prepared = ReturnType<typeof prepare>;

/** Prepares a started interpreter for programs. */
export function prepare(python: Interpreter, hostImports: HostImports) {
  checkLayout(python);
  boundStack(python, RUN_STACK);
  const prelude = runPrelude(python);
  const createCode = python.wasmTable.grow(1);
  python.HEAPU32[(prelude('code') + TYPE.new) >>> 2] = createCode;
  const prepared = {
    createCode,
    blocks: allocateBlocks(python),
    world: createProgramGlobals(python, prelude),
    filename: python._PyUnicode_FromString(newText(python, '<program>')),
    emptyTuple: python._PyTuple_New(0),
    flags: python._malloc(8),
    attributeNames: createAttributeNames(python),
  };
  python.HEAPU32.set([COMPILER_FLAGS, 14], prepared.flags >>> 2);
  allocateHoles(python);
  hostImports.close();
  return prepared;
}

/** Runs the prelude. @returns function that returns an object that the prelude stored */
function runPrelude(python: Interpreter): PreludeObjects {
  const names = python._PyDict_New();
  const text = newText(python, PRELUDE.replace('NAMES', JSON.stringify(MODULES)));
  const code = python._Py_CompileString(text, newText(python, '<sandbox>'), FILE_INPUT);
  python._free(text);
  python._PyDict_SetItemString(names, newText(python, '__builtins__'), python._PyEval_GetBuiltins());
  const result = code && python._PyEval_EvalCode(code, names, names);
  if (!result) {
    const description = python._PyObject_Repr(python._PyErr_GetRaisedException());
    throw new Error(`the sandbox's own Python failed: ${description ? readText(python, description, 10_000) : '?'}`);
  }
  python._Py_DecRef(result);
  const saved = python._PyDict_GetItemString(names, newText(python, 'kept'));
  python._Py_IncRef(saved);
  python._PyDict_Clear(names);
  return (name) => {
    const value = python._PyDict_GetItemString(saved, newText(python, name));
    if (!value) throw new Error(`the prelude has not kept ${name}`);
    return value;
  };
}

/** Range of the sizes of holes to allocate [bytes]. Each size is about an eighth smaller than the previous size. */
const [LARGEST_HOLE, SMALLEST_HOLE] = [1 << 20, 8];

/**
 * Allocates and never frees the holes between the memory blocks of the start. The blocks of a program are then
 * contiguous after all others, so restoring them copies a few long ranges.
 */
function allocateHoles(python: Interpreter): void {
  const end = python._malloc(LARGEST_HOLE);
  python._free(end);
  for (let size = LARGEST_HOLE; size >= SMALLEST_HOLE; size -= Math.max(8, (size >>> 3) & ~7)) {
    let block = python._malloc(size);
    while (block !== 0 && block < end) block = python._malloc(size);
    python._free(block);
  }
}
