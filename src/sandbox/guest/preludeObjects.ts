import { cString, type Interpreter } from './interpreter.ts';
import { putWord, readInts, readText } from './memoryAccess.ts';

const LONGEST_NAME = 100;

/** What the prelude has put by for the host: Python objects by name, held for good. */
export class PreludeObjects {
  constructor(
    private readonly python: Interpreter,
    private readonly dict: number,
  ) {
    python._Py_IncRef(dict);
  }

  get(name: string): number {
    const found = this.python._PyDict_GetItemString(this.dict, cString(this.python, name));
    if (!found) throw new Error(`the prelude has not kept ${name}`);
    return found;
  }

  /** Pointers of a list's objects. */
  list(name: string): number[] {
    const list = this.get(name);
    return Array.from({ length: this.python._PyList_Size(list) }, (_, i) => this.python._PyList_GetItem(list, i));
  }

  /** A dict with str keys. */
  map(name: string): Map<string, number> {
    return entries(this.python, this.get(name));
  }
}

/** The entries of a dict with str keys; borrowed pointers. */
function entries(python: Interpreter, dict: number): Map<string, number> {
  const found = new Map<string, number>();
  const slots = python._malloc(12);
  putWord(python, slots, 0);
  while (python._PyDict_Next(dict, slots, slots + 4, slots + 8)) {
    const [, key, value] = readInts(python, slots, 3);
    found.set(readText(python, key, LONGEST_NAME) ?? '', value);
  }
  python._free(slots);
  return found;
}
