import type { Value } from '../types.ts';
import type { Interpreter } from './interpreter.ts';
import { LONG, TYPE } from './layout.ts';
import { newText, putBytes, readCString, readText, writeUint32 } from './memoryAccess.ts';

/** Error for a result that exceeds the maximum size or depth. */
export class TooLarge extends Error {}

/** Error for an argument that Python cannot create. Python's exception is set. */
export class UnhashableArgument extends Error {}

const DEPTH = 50;
const SCRATCH = 256;
const BYTE_ORDER = -1;
const CHARACTERS_AN_ELEMENT = 64;
const LONGEST_NAME = 100;

/** Allocates the memory blocks for conversions. */
export const allocateBlocks = (python: Interpreter) => ({
  surrogatePass: newText(python, 'surrogatepass'),
  order: python._malloc(4),
  scratch: python._malloc(SCRATCH),
  slots: python._malloc(16 * (DEPTH + 2)),
});

/**
 * Converts plain data between the host and Python through CPython's C interface. No Python code runs, so a program
 * cannot change the conversion. Only exact types are converted; an instance of a subclass becomes an `OpaqueValue`.
 */
export class Marshal {
  private left = 0;

  constructor(
    private readonly python: Interpreter,
    private readonly blocks: ReturnType<typeof allocateBlocks>,
  ) {}

  /** Converts a value to a Python object. @returns new reference @throws {UnhashableArgument} */
  encode(value: Value): number {
    const { python } = this;
    if (value === null) return python.__Py_NoneStruct;
    if (typeof value === 'boolean') return value ? python.__Py_TrueStruct : python.__Py_FalseStruct;
    if (typeof value === 'number') return python._PyLong_FromDouble(value);
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'bigint') {
      const text = newText(python, value.toString(16));
      const int = python._PyLong_FromString(text, 0, 16);
      python._free(text);
      return int;
    }
    if ('float' in value) return python._PyFloat_FromDouble(value.float);
    if ('tuple' in value) {
      const tuple = python._PyTuple_New(value.tuple.length);
      value.tuple.forEach((item, i) => {
        python._PyTuple_SetItem(tuple, i, this.encode(item));
      });
      return tuple;
    }
    if ('set' in value) {
      const set = python._PySet_New(0);
      for (const item of value.set) this.useObject(item, (object) => python._PySet_Add(set, object));
      return this.checked(set);
    }
    if ('dict' in value) {
      const dict = python._PyDict_New();
      for (const [key, item] of value.dict) {
        this.useObject(key, (name) => this.useObject(item, (object) => python._PyDict_SetItem(dict, name, object)));
      }
      return this.checked(dict);
    }
    if ('typeName' in value) throw new Error(`a ${value.typeName} cannot be an argument`);
    const list = python._PyList_New(value.length);
    value.forEach((item, i) => {
      python._PyList_SetItem(list, i, this.encode(item));
    });
    return list;
  }

  /** Converts a text to a str. Lone surrogates are preserved. */
  text(value: string): number {
    const { python } = this;
    const { scratch, order, surrogatePass } = this.blocks;
    if (value.length <= SCRATCH) {
      let at = 0;
      while (at < value.length) {
        const unit = value.charCodeAt(at);
        if (unit > 127) break;
        python.setByte(scratch + at++, unit);
      }
      python.mark(scratch, at);
      if (at === value.length) return python._PyUnicode_FromStringAndSize(scratch, at);
    }
    const units = Uint16Array.from({ length: value.length }, (_, i) => value.charCodeAt(i));
    const block = python._malloc(units.byteLength + 2);
    putBytes(python, block, new Uint8Array(units.buffer));
    // With an explicit byte order, a leading U+FEFF is not read as a byte order mark.
    writeUint32(python, order, BYTE_ORDER);
    const object = python._PyUnicode_DecodeUTF16(block, units.byteLength, surrogatePass, order);
    python._free(block);
    return this.checked(object);
  }

  private useObject(value: Value, use: (object: number) => number): number {
    const object = this.encode(value);
    const result = use(object);
    this.python._Py_DecRef(object);
    return result;
  }

  /** @throws {UnhashableArgument} if Python's exception is set, for example for an unhashable element */
  private checked(object: number): number {
    if (this.python._PyErr_Occurred()) throw new UnhashableArgument();
    return object;
  }

  /** Converts a Python object to a value. @param elements maximum number of elements @throws {TooLarge} */
  decode(object: number, elements: number): Value {
    this.left = elements;
    return this.read(object, 0);
  }

  private read(object: number, depth: number): Value {
    const { python } = this;
    if (--this.left < 0 || depth > DEPTH) throw new TooLarge();
    if (object === python.__Py_NoneStruct) return null;
    if (object === python.__Py_TrueStruct) return true;
    if (object === python.__Py_FalseStruct) return false;
    const type = python.HEAPU32[(object + 4) >>> 2];
    switch (type) {
      case python._PyLong_Type:
        return this.int(object);
      case python._PyFloat_Type:
        return { float: python._PyFloat_AsDouble(object) };
      case python._PyUnicode_Type:
        return this.string(object);
      case python._PyList_Type:
        return this.items(python._PyList_Size(object), (i) => python._PyList_GetItem(object, i), depth);
      case python._PyTuple_Type:
        return { tuple: this.items(python._PyTuple_Size(object), (i) => python._PyTuple_GetItem(object, i), depth) };
      case python._PyDict_Type:
        return { dict: this.entries(object, depth) };
      case python._PySet_Type:
        return { set: this.elements(object, depth) };
      default:
        return { typeName: this.nameOf(type) };
    }
  }

  private string(object: number): Value {
    const length = this.python._PyUnicode_GetLength(object);
    this.left -= Math.floor(length / CHARACTERS_AN_ELEMENT);
    if (this.left < 0) throw new TooLarge();
    return readText(this.python, object, length) ?? { typeName: 'str with lone surrogates' };
  }

  private int(object: number): Value {
    const { HEAPU32 } = this.python;
    const tag = HEAPU32[(object + LONG.tag) >>> 2];
    const count = tag >>> 3;
    const negative = (tag & 3) === 2;
    if (count <= 1) {
      const size = count === 0 || (tag & 3) === 1 ? 0 : HEAPU32[(object + LONG.digits) >>> 2];
      return negative ? -size : size;
    }
    this.left -= count;
    if (this.left < 0) throw new TooLarge();
    let hex = '0b';
    for (let i = count - 1; i >= 0; i--)
      hex += HEAPU32[((object + LONG.digits) >>> 2) + i].toString(2).padStart(30, '0');
    const size = BigInt(hex);
    const value = negative ? -size : size;
    return size <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
  }

  private items(size: number, at: (index: number) => number, depth: number): Value[] {
    if (size > this.left) throw new TooLarge();
    return Array.from({ length: size }, (_, i) => this.read(at(i), depth + 1));
  }

  private entries(dict: number, depth: number): [Value, Value][] {
    const { python } = this;
    const slots = this.blocks.slots + 16 * depth;
    const entries: [Value, Value][] = [];
    writeUint32(python, slots, 0);
    while (python._PyDict_Next(dict, slots, slots + 4, slots + 8)) {
      const key = python.HEAPU32[(slots + 4) >>> 2];
      const value = python.HEAPU32[(slots + 8) >>> 2];
      entries.push([this.read(key, depth + 1), this.read(value, depth + 1)]);
    }
    return entries;
  }

  private elements(set: number, depth: number): Value[] {
    const { python } = this;
    const items: Value[] = [];
    const iterator = python._PyObject_GetIter(set);
    for (let item = python._PyIter_Next(iterator); item; item = python._PyIter_Next(iterator)) {
      items.push(this.read(item, depth + 1));
      python._Py_DecRef(item);
    }
    python._Py_DecRef(iterator);
    return items;
  }

  /** Returns the unqualified name of a type from its C struct, without reading attributes. */
  nameOf(type: number): string {
    const name = readCString(this.python, this.python.HEAPU32[(type + TYPE.name) >>> 2], LONGEST_NAME);
    return name.slice(name.lastIndexOf('.') + 1);
  }
}
