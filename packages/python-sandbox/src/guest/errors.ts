import type { PythonError } from '../types.ts';
import type { Interpreter } from './interpreter.ts';
import { EXCEPTION, TRACEBACK } from './layout.ts';
import type { Marshal } from './marshal.ts';
import { newText, readText } from './memoryAccess.ts';

/** Maximum length of a message, and of the text before addresses in it are shortened [characters]. */
const [MESSAGE, LONGEST_TEXT] = [300, 1_500];
const LONGEST_TRACEBACK = 10_000;

type Raised = 'TypeError' | 'AttributeError' | 'ImportError' | 'ValueError';

/** Sets a Python exception and returns null, as C functions do. */
export function raise(python: Interpreter, type: Raised, message: string): 0 {
  const text = newText(python, message);
  python._PyErr_SetString(python.HEAPU32[python[`_PyExc_${type}`] >>> 2], text);
  python._free(text);
  return 0;
}

/** Creates the names of the exception attributes that are read. */
export const createAttributeNames = (python: Interpreter) => ({
  message: newText(python, 'msg'),
  line: newText(python, 'lineno'),
});

/** Converts Python exceptions to plain data. */
export class Errors {
  constructor(
    private readonly python: Interpreter,
    private readonly marshal: Marshal,
    private readonly names: ReturnType<typeof createAttributeNames>,
  ) {}

  /** Returns the class, message and line of an exception. Its `str()` can be the program's code and uses its fuel. */
  describe(error: number, globals: number): PythonError {
    const { python } = this;
    const type = this.marshal.nameOf(python.HEAPU32[(error + 4) >>> 2]);
    const isSyntax = ['SyntaxError', 'IndentationError', 'TabError'].includes(type);
    const text = isSyntax ? python._PyObject_GetAttrString(error, this.names.message) : python._PyObject_Str(error);
    if (!text) python._PyErr_Clear();
    const message = text ? (readText(python, text, LONGEST_TEXT) ?? '?') : '?';
    if (text) python._Py_DecRef(text);
    const line = isSyntax ? this.syntaxLine(error) : this.lineOf(error, globals);
    // Addresses differ between runs.
    const plain = message
      .replace(/0x[0-9a-f]{4,}/g, '0x')
      .replace(/ \(used \d+ kB\)/, '')
      .slice(0, MESSAGE);
    return { type, message: plain, ...(line === undefined ? {} : { line }) };
  }

  private syntaxLine(error: number): number | undefined {
    const { python } = this;
    const line = python._PyObject_GetAttrString(error, this.names.line);
    const value = line ? python._PyLong_AsInt(line) : -1;
    if (line) python._Py_DecRef(line);
    python._PyErr_Clear();
    return value > 0 ? value : undefined;
  }

  /** Returns the innermost line of the program in the traceback; undefined if there is no such line. */
  private lineOf(error: number, programGlobals: number): number | undefined {
    const { python } = this;
    const readUint32 = (at: number) => python.HEAPU32[at >>> 2];
    let line: number | undefined;
    let traceback = readUint32(error + EXCEPTION.traceback);
    for (let i = 0; traceback !== 0 && i < LONGEST_TRACEBACK; i++, traceback = readUint32(traceback + TRACEBACK.next)) {
      const frame = readUint32(traceback + TRACEBACK.frame);
      const globals = python._PyFrame_GetGlobals(frame);
      const code = python._PyFrame_GetCode(frame);
      if (globals === programGlobals)
        line = python._PyCode_Addr2Line(code, readUint32(traceback + TRACEBACK.lastInstruction));
      python._Py_DecRef(globals);
      python._Py_DecRef(code);
    }
    return line;
  }
}
