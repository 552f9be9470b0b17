import { nameBytes, unsigned } from '../wasm.ts';
import { Reader, Writer } from './binary.ts';
import type { Shape } from './operands.ts';

/** IDs of the sections of a module. */
export const SECTION = {
  type: 1,
  import: 2,
  function: 3,
  memory: 5,
  global: 6,
  export: 7,
  element: 9,
  code: 10,
} as const;

/** Size of the module header before the first section [bytes]. */
const HEADER = 8;

interface Section {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

interface FunctionType extends Shape {
  /** Type of the result; undefined if there is not exactly one. */
  readonly result: number | undefined;
}

/** Returns a function that reads a section of a module by its ID. */
export function sectionReader(source: Uint8Array): (id: number) => Reader {
  const sections = readSections(source);
  return (id) => new Reader(source, sections.find((section) => section.id === id)?.start ?? -1);
}

/** Copies a module with some sections rewritten. */
export function rewriteSections(
  source: Uint8Array,
  rewrite: Readonly<Record<number, (section: Uint8Array) => Uint8Array>>,
): Uint8Array<ArrayBuffer> {
  const out = new Writer(1.5 * source.length);
  out.put(source.subarray(0, HEADER));
  for (const { id, start, end } of readSections(source)) {
    const section = source.subarray(start, end);
    const bytes = rewrite[id]?.(section) ?? section;
    out.put([id, ...unsigned(bytes.length)]);
    out.put(bytes);
  }
  return out.written;
}

/** Types, functions and imports of a module. */
export interface Functions {
  readonly types: readonly FunctionType[];
  /** All functions by index. Imported functions come first. */
  readonly functions: readonly FunctionType[];
  readonly imported: number;
  /** Number of globals that the module imports. */
  readonly importedGlobals: number;
}

export function readFunctions(source: Uint8Array): Functions {
  const reader = sectionReader(source);
  const types = readTypes(reader(SECTION.type));
  const { globals, functions: imported } = readImports(reader(SECTION.import));
  const declared = reader(SECTION.function);
  const defined = Array.from({ length: declared.unsigned() }, () => declared.unsigned());
  const functions = [...imported, ...defined].map((type) => types[type]);
  return { types, functions, imported: imported.length, importedGlobals: globals };
}

/** Body of a function, with positions in the code section. */
export interface Body {
  readonly bytes: Uint8Array;
  readonly type: FunctionType;
  /** Number of groups of local variables, position of the first group, and number of parameters and variables. */
  readonly groups: number;
  readonly declared: number;
  readonly locals: number;
  /** Start and end position of the instructions. */
  readonly code: number;
  readonly end: number;
}

/** Reads the bodies of the functions that the module defines. */
export function readBodies(section: Uint8Array, { functions, imported }: Functions): Body[] {
  const reader = new Reader(section);
  return Array.from({ length: reader.unsigned() }, (_, i) => {
    const size = reader.unsigned();
    const end = reader.at + size;
    const groups = reader.unsigned();
    const declared = reader.at;
    const type = functions[imported + i];
    let locals = type.operands;
    for (let group = 0; group < groups; group++) {
      locals += reader.unsigned();
      reader.skip(1);
    }
    const code = reader.at;
    reader.skip(end - code);
    return { bytes: section, type, groups, declared, locals, code, end };
  });
}

/** Code that replaces the bytes up to `end`, or is inserted if there is no `end`. */
export interface Piece {
  readonly at: number;
  readonly end?: number;
  readonly code: readonly number[];
}

/** Changes of a body, in the order of their positions. */
export interface Change {
  readonly pieces: readonly Piece[];
  /** Groups of local variables to add. */
  readonly locals?: readonly (readonly [count: number, type: number])[];
}

/** Writes a code section with the changes of its bodies. */
export function rewriteBodies(bodies: readonly Body[], change: (body: Body, index: number) => Change): Uint8Array {
  const out = new Writer(1.5 * (bodies[0]?.bytes.length ?? 0));
  out.put(unsigned(bodies.length));
  bodies.forEach((body, i) => {
    const { bytes, groups, declared, code, end } = body;
    const { pieces, locals = [] } = change(body, i);
    const changed = new Writer(2 * (end - declared) + 64);
    changed.put(unsigned(groups + locals.length));
    changed.put(bytes.subarray(declared, code));
    changed.put(locals.flat());
    let copied = code;
    for (const piece of pieces) {
      changed.put(bytes.subarray(copied, piece.at));
      changed.put(piece.code);
      copied = piece.end ?? piece.at;
    }
    changed.put(bytes.subarray(copied, end));
    out.put(unsigned(changed.written.length));
    out.put(changed.written);
  });
  return out.written;
}

/** Appends entries to a section. @param count number of entries */
export function appendEntries(section: Uint8Array, count: number, entries: readonly number[]): Uint8Array {
  const reader = new Reader(section);
  const out = new Writer(section.length + entries.length + 8);
  out.put(unsigned(reader.unsigned() + count));
  out.put(section.subarray(reader.at));
  out.put(entries);
  return out.written;
}

/** Adds exports of globals to an export section. */
export function exportGlobals(section: Uint8Array, globals: Readonly<Record<string, number>>): Uint8Array {
  const entries = Object.entries(globals).map(([name, index]) => [...nameBytes(name), 3, ...unsigned(index)]);
  return appendEntries(section, entries.length, entries.flat());
}

function readSections(source: Uint8Array): Section[] {
  const reader = new Reader(source, HEADER);
  const sections: Section[] = [];
  while (reader.at < source.length) {
    const id = reader.byte();
    const size = reader.unsigned();
    sections.push({ id, start: reader.at, end: reader.at + size });
    reader.skip(size);
  }
  return sections;
}

function readTypes(reader: Reader): FunctionType[] {
  const readList = () => {
    const count = reader.unsigned();
    reader.skip(count);
    return count;
  };
  return Array.from({ length: reader.unsigned() }, () => {
    if (reader.byte() !== 0x60) throw new Error('a type is no function');
    const [operands, results] = [readList(), readList()];
    return { operands, results, result: results === 1 ? reader.bytes[reader.at - 1] : undefined };
  });
}

/** Reads an import section. @returns number of imported globals, and [imported functions] index of the type */
function readImports(reader: Reader): { readonly globals: number; readonly functions: readonly number[] } {
  let globals = 0;
  const functions: number[] = [];
  for (let i = reader.unsigned(); i > 0; i--) {
    // The name of an import has two parts: module and field.
    for (let part = 0; part < 2; part++) reader.skip(reader.unsigned());
    const kind = reader.byte();
    if (kind === 0) functions.push(reader.unsigned());
    else if (kind === 1) {
      // A table has a type, flags, a minimum size and an optional maximum size.
      reader.skip(1);
      const hasMaximum = reader.byte() & 1;
      reader.skipNumber();
      if (hasMaximum) reader.skipNumber();
    } else if (kind === 3) {
      reader.skip(2);
      globals++;
    } else if (kind === 4) {
      reader.skip(1);
      reader.skipNumber();
    } else throw new Error('the module imports its memory');
  }
  return { globals, functions };
}
