import { Reader, unsigned, Writer } from './binary.ts';
import type { Shape } from './operands.ts';

/** Numbers of a module's sections. */
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

/** Bytes before the first section. */
const HEADER = 8;

interface Section {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

interface FunctionType extends Shape {
  /** Type of its only result. */
  readonly result: number | undefined;
}

/** Reads sections of a module by their number. */
export function sectionReader(source: Uint8Array): (id: number) => Reader {
  const sections = readSections(source);
  return (id) => new Reader(source, sections.find((section) => section.id === id)?.start ?? -1);
}

/** A copy of a module, with some of its sections rewritten. */
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

/** Rewrites the bodies of all functions. @param rewrite reads a body, which ends before `end` */
export function rewriteBodies(
  section: Uint8Array,
  rewrite: (reader: Reader, end: number, index: number) => Uint8Array,
): Uint8Array {
  const reader = new Reader(section);
  const out = new Writer(1.5 * section.length);
  const count = reader.unsigned();
  out.put(unsigned(count));
  for (let i = 0; i < count; i++) {
    const size = reader.unsigned();
    const body = rewrite(new Reader(section, reader.at), reader.at + size, i);
    out.put(unsigned(body.length));
    out.put(body);
    reader.skip(size);
  }
  return out.written;
}

/** Puts entries behind those of a section. */
export function appendEntries(section: Uint8Array, count: number, entries: readonly number[]): Uint8Array {
  const reader = new Reader(section);
  const out = new Writer(section.length + entries.length + 8);
  out.put(unsigned(reader.unsigned() + count));
  out.put(section.subarray(reader.at));
  out.put(entries);
  return out.written;
}

/** Bytes of a name and of an exported global. */
export function exportedGlobal(name: string, index: number): number[] {
  return [name.length, ...new TextEncoder().encode(name), 3, ...unsigned(index)];
}

/** Reads the local variables that a body declares. @returns how many groups of them there are, where they begin, and how many variables */
export function readLocals(reader: Reader): {
  readonly groups: number;
  readonly start: number;
  readonly count: number;
} {
  const groups = reader.unsigned();
  const start = reader.at;
  let count = 0;
  for (let i = 0; i < groups; i++) {
    count += reader.unsigned();
    reader.skip(1);
  }
  return { groups, start, count };
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

export function readTypes(reader: Reader): FunctionType[] {
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

export function readNumbers(reader: Reader): number[] {
  return Array.from({ length: reader.unsigned() }, () => reader.unsigned());
}

/** @returns how many globals a module imports, and the types of the functions */
export function readImports(reader: Reader): { readonly globals: number; readonly functions: readonly number[] } {
  let globals = 0;
  const functions: number[] = [];
  for (let i = reader.unsigned(); i > 0; i--) {
    reader.name();
    reader.name();
    const kind = reader.byte();
    if (kind === 0) functions.push(reader.unsigned());
    else if (kind === 1) {
      reader.skip(1);
      reader.skipLimits();
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
