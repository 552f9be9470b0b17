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
  /** Number of write instructions of each kind in the module. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface MarkingOptions {
  /** Address of the table of marks, which has one byte per page of memory. */
  readonly table: number;
  /** Number of bits by which an address is shifted to get the index of its page. */
  readonly shift: number;
  /** Maximum memory of the module [units of 64 KiB]. */
  readonly memory: number;
  /** Number of the last globals that another pass added. They are not restored. Default: 0. */
  readonly foreign?: number;
}

/**
 * Rewrites a module so that it marks all its writes to memory. After a store, the table byte for the page of the
 * **last** written byte is 1. Adjacent stores share a mark (groups.ts). If they cross a page boundary, they change at
 * most the last 63 bytes of the previous page. The reader of the marks also compares these bytes. Ranges
 * (`memory.copy`, `memory.fill`) mark all their pages.
 *
 * A mark follows its write, which protects the table: a write into the table marks the table's page, even if it
 * overwrites this mark.
 * @throws {Error} for a module with unknown content, or one that changes its tables itself
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
    [SECTION.export]: (section) => exportGlobals(section, Object.fromEntries(globals)),
    [SECTION.memory]: (section) => boundMemory(new Reader(section), options.memory),
  });
  return { module, counts };
}

/** Returns the indices of the module's mutable globals, without imported globals and the last `foreign` globals. */
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

/** Position of a mark: an instruction that writes, or a group of stores at the address in a local variable. */
type Site =
  | { readonly at: number; readonly end: number; readonly write: MemoryWrite }
  | { readonly at: number; readonly local: number; readonly last: number };

/** Indices of local variables for marks. A function gets only those that it uses, because they take machine stack. */
interface Locals {
  readonly address: number;
  /** First of the three variables of a range: source or byte, length, and page. */
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

/** Returns code that marks the page of an address on the stack plus `last` bytes. */
function markUpTo(last: number, { table, shift }: MarkingOptions): number[] {
  const address = last === 0 ? [] : [...op.constant(last), ...op.add];
  return [...address, ...op.constant(shift), ...op.shiftRight, ...op.constant(1), ...op.storeByte(table)];
}

/** Returns code of an instruction that writes, followed by its mark. */
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
