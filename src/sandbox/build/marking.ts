import { GLOBAL_PREFIX } from '../moduleLayout.ts';
import { I32, op, unsigned } from '../wasm.ts';
import { Reader } from './binary.ts';
import { Groups } from './groups.ts';
import { readInstruction, VALUES, type Write } from './instructions.ts';
import { Operands } from './operands.ts';
import {
  type Body,
  type Change,
  exportGlobals,
  type Functions,
  readBodies,
  readFunctions,
  rewriteBodies,
  rewriteSections,
  SECTION,
  sectionReader,
} from './sections.ts';

export interface Marked {
  readonly module: Uint8Array<ArrayBuffer>;
  /** Number of instructions of each kind in the module. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface MarkingOptions {
  /** Address of the table of marks: a byte for each page of the memory. */
  readonly table: number;
  /** By how many bits an address is shifted to give its page's number. */
  readonly shift: number;
  /** Most memory that the module may ever have, in units of 64 KiB. */
  readonly memory: number;
  /** Number of its last globals that belong to other code and are not restored. None if left out. */
  readonly foreign?: number;
}

/**
 * Rewrites a module so that every write to its memory is marked: after stores, the byte of the table for the page of
 * the **last** byte written is 1. Adjacent stores have one mark together (groups.ts). If they cross into a page, they
 * have changed at most the last 63 bytes of the page before. The code that reads the marks checks these bytes. Ranges
 * (`memory.copy`, `memory.fill`) mark each page that they touch.
 *
 * A mark is made after the write that it marks. So the table guards itself: a write into the table leaves the table's
 * page marked, even if the byte that was written is that very mark.
 * @throws {Error} for a module with content that is not known here, or that changes its tables by itself
 */
export function markWrites(source: Uint8Array, options: MarkingOptions): Marked {
  const functions = readFunctions(source);
  const globals = mutableGlobals(sectionReader(source)(SECTION.global), options.foreign ?? 0)
    .map((index) => functions.importedGlobals + index)
    .map((index) => [GLOBAL_PREFIX + index, index] as const);
  const counts: Record<string, number> = {};
  const module = rewriteSections(source, {
    [SECTION.code]: (section) =>
      rewriteBodies(readBodies(section, functions), (body) => markBody(body, functions, options, counts)),
    [SECTION.export]: (section) => exportGlobals(section, globals),
    [SECTION.memory]: (section) => boundMemory(new Reader(section), options.memory),
  });
  return { module, counts };
}

/** Numbers of the module's own globals that can be changed, without the last `foreign` ones. */
function mutableGlobals(reader: Reader, foreign: number): number[] {
  const count = reader.unsigned() - foreign;
  const mutable: number[] = [];
  for (let i = 0; i < count; i++) {
    reader.skip(1);
    if (reader.byte() === 1) mutable.push(i);
    while (reader.bytes[reader.at] !== 0x0b) readInstruction(reader);
    reader.skip(1);
  }
  return mutable;
}

function boundMemory(reader: Reader, maximum: number): Uint8Array {
  if (reader.unsigned() !== 1) throw new Error('the module has more than one memory');
  reader.byte();
  return Uint8Array.from([1, 1, ...unsigned(reader.unsigned()), ...unsigned(maximum)]);
}

type MemoryWrite = Exclude<Write, { kind: 'other' }>;

/** Positions of marks: an instruction that writes, or bytes written before at the address in a local variable, up to a byte. */
type Site =
  | { readonly at: number; readonly end: number; readonly write: MemoryWrite }
  | { readonly at: number; readonly local: number; readonly last: number };

/** Numbers of the local variables that marks need: each function has those that it uses, because they take room on the machine's stack. */
interface Locals {
  readonly address: number;
  /** Source or byte, length and page of a range. */
  readonly range: number;
  readonly values: readonly number[];
}

function markBody(body: Body, functions: Functions, options: MarkingOptions, counts: Record<string, number>): Change {
  const sites = findSites(body, functions, counts);
  if (sites.length === 0) return { pieces: [] };
  const writes = sites.flatMap((site) => ('write' in site ? [site.write] : []));
  const isRange = writes.some(({ kind }) => kind === 'range');
  const used = VALUES.map((_, i) => writes.some((write) => write.kind === 'store' && write.value === i));
  const ints = isRange ? 4 : Math.min(1, writes.length);
  const locals: Locals = {
    address: body.locals,
    range: body.locals + 1,
    values: used.map((_, i) => body.locals + ints + used.slice(0, i).filter(Boolean).length),
  };
  const pieces = sites.map((site) => {
    if (!('write' in site)) return { at: site.at, code: [...op.get(site.local), ...markUpTo(site.last, options)] };
    return { ...site, code: marked(site.write, body.bytes.subarray(site.at, site.end), locals, options) };
  });
  return { pieces, locals: [[ints, I32], ...VALUES.filter((_, i) => used[i]).map((type) => [1, type] as const)] };
}

function findSites({ bytes, code, end }: Body, functions: Functions, counts: Record<string, number>): Site[] {
  const sites: Site[] = [];
  const operands = new Operands(functions);
  const groups = new Groups((mark) => sites.push(mark));
  const reader = new Reader(bytes, code);
  while (reader.at < end) {
    const at = reader.at;
    const write = readInstruction(reader);
    if (write !== undefined) {
      const name = write.kind === 'other' ? `${write.name} ${write.index}` : write.kind;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    groups.pass(bytes, at);
    const base = write?.kind === 'store' ? operands.local(1) : undefined;
    if (write?.kind === 'store' && base !== undefined) groups.add(at, base, write);
    else if (write !== undefined && write.kind !== 'other') sites.push({ at, end: reader.at, write });
    operands.pass(bytes, at);
  }
  return sites;
}

/** Takes the address on the stack. */
function markUpTo(last: number, { table, shift }: MarkingOptions): number[] {
  const address = last === 0 ? [] : [...op.constant(last), ...op.add];
  return [...address, ...op.constant(shift), ...op.shiftRight, ...op.constant(1), ...op.storeByte(table)];
}

/** An instruction that writes, and after it its mark. */
function marked(
  write: MemoryWrite,
  instruction: ArrayLike<number>,
  { address, range, values }: Locals,
  options: MarkingOptions,
): number[] {
  if (write.kind === 'store') {
    const value = values[write.value];
    return [
      ...[...op.set(value), ...op.tee(address), ...op.get(value), ...Array.from(instruction)],
      ...[...op.get(address), ...markUpTo(write.offset + write.size - 1, options)],
    ];
  }
  const toPage = [...op.constant(options.shift), ...op.shiftRight];
  const mark = [...op.constant(1), ...op.storeByte(options.table)];
  const [source, length, page] = [range, range + 1, range + 2];
  const lastPage = length;
  return [
    ...[...op.set(length), ...op.set(source), ...op.tee(address), ...op.get(source), ...op.get(length)],
    ...Array.from(instruction),
    ...[...op.block(), ...op.get(length), ...op.isZero, ...op.branchIf(0)],
    ...[...op.get(address), ...toPage, ...op.set(page)],
    ...[...op.get(address), ...op.get(length), ...op.add, ...op.constant(1), ...op.subtract, ...toPage],
    ...[...op.set(lastPage), ...op.loop, ...op.get(page), ...mark],
    ...[...op.get(page), ...op.constant(1), ...op.add, ...op.tee(page), ...op.get(lastPage), ...op.isLessOrEqual],
    ...[...op.branchIf(0), ...op.end, ...op.end],
  ];
}
