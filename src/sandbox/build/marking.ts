import { Reader, signed, unsigned, Writer } from './binary.ts';
import { Groups } from './groups.ts';
import { readInstruction, VALUES, type Write } from './instructions.ts';
import { Operands, type Shapes } from './operands.ts';
import {
  appendEntries,
  exportedGlobal,
  readImports,
  readLocals,
  readNumbers,
  readTypes,
  rewriteBodies,
  rewriteSections,
  SECTION,
  sectionReader,
} from './sections.ts';

const I32 = 0x7f;

export interface Marked {
  readonly module: Uint8Array<ArrayBuffer>;
  /** How many instructions of each kind were found. */
  readonly counts: Readonly<Record<string, number>>;
  /** Names under which the mutable globals that the module makes for itself are exported now. */
  readonly globals: readonly string[];
}

export interface MarkingOptions {
  /** Where the table of marks lies: a byte for each page of the memory. */
  readonly table: number;
  /** By how many bits an address is shifted to give its page's number. */
  readonly shift: number;
  /** Most memory that the module may ever have, in units of 64 KiB. */
  readonly memory: number;
  /** How many of its globals, the last ones, are not its own: nobody puts them back. None if left out. */
  readonly foreign?: number;
}

/** Instructions of the marks. */
const op = {
  get: (local: number) => [0x20, ...unsigned(local)],
  set: (local: number) => [0x21, ...unsigned(local)],
  tee: (local: number) => [0x22, ...unsigned(local)],
  constant: (value: number) => [0x41, ...signed(value)],
  add: [0x6a],
  subtract: [0x6b],
  atMost: [0x4d],
  isZero: [0x45],
  shiftRight: [0x76],
  block: [0x02, 0x40],
  loop: [0x03, 0x40],
  branchIf: [0x0d, 0],
  end: [0x0b],
} as const;

/**
 * Rewrites a module so that whatever it writes to its memory is marked: after stores, the byte of the table is 1 that stands for the page of the
 * **last** byte written. Stores side by side have one mark together (groups.ts): where they cross into a page, they have changed the last 63 bytes of the
 * page before at most, which whoever reads the marks looks at. Ranges (`memory.copy`, `memory.fill`) mark each page that they touch.
 *
 * A mark is made after what it stands for. So the table guards itself: whoever writes into the table leaves the table's own page marked, also if the
 * byte that was written is that very mark.
 * @throws {Error} for a module that holds what is not known here, or that changes its tables by itself
 */
export function markWrites(source: Uint8Array, options: MarkingOptions): Marked {
  const reader = sectionReader(source);
  const types = readTypes(reader(SECTION.type));
  const imported = readImports(reader(SECTION.import));
  const defined = readNumbers(reader(SECTION.function)).map((type) => types[type]);
  const shapes = { types, functions: [...imported.functions.map((type) => types[type]), ...defined] };
  const { mutable, count: all } = readGlobals(reader(SECTION.global));
  const globals = mutable
    .filter((index) => index < all - (options.foreign ?? 0))
    .map((index) => imported.globals + index);
  const counts: Record<string, number> = {};
  const exported = globals.flatMap((index) => exportedGlobal(globalName(index), index));
  const module = rewriteSections(source, {
    [SECTION.code]: (section) =>
      rewriteBodies(section, (body, end, i) =>
        markBody(body, end, { parameters: defined[i].operands, shapes, options, counts }),
      ),
    [SECTION.export]: (section) => appendEntries(section, globals.length, exported),
    [SECTION.memory]: (section) => boundMemory(new Reader(section), options.memory),
  });
  return { module, counts, globals: globals.map(globalName) };
}

const globalName = (index: number) => `own_global_${index}`;

/** @returns which of the module's own globals can be changed, and how many there are */
function readGlobals(reader: Reader): { readonly mutable: readonly number[]; readonly count: number } {
  const mutable: number[] = [];
  const count = reader.unsigned();
  for (let i = 0; i < count; i++) {
    reader.skip(1);
    if (reader.byte() === 1) mutable.push(i);
    while (reader.bytes[reader.at] !== 0x0b) readInstruction(reader);
    reader.skip(1);
  }
  return { mutable, count };
}

function boundMemory(reader: Reader, most: number): Uint8Array {
  if (reader.unsigned() !== 1) throw new Error('the module has more than one memory');
  reader.byte();
  return Uint8Array.from([1, 1, ...unsigned(reader.unsigned()), ...unsigned(most)]);
}

/** What is put into a function: before the instruction at a place, or in place of it. */
type Piece = { readonly at: number } & (
  | { readonly kind: 'alone'; readonly end: number; readonly write: Exclude<Write, { kind: 'other' }> }
  /** The mark of what was written at the address in a local variable, up to this byte. */
  | { readonly kind: 'mark'; readonly local: number; readonly last: number }
);

interface Body {
  readonly parameters: number;
  readonly shapes: Shapes;
  readonly options: MarkingOptions;
  readonly counts: Record<string, number>;
}

/** Numbers of the local variables that marks need: each function has those that it uses, because they take room on the machine's stack. */
interface Locals {
  readonly address: number;
  /** Source or byte, length and page of a range. */
  readonly range: number;
  readonly values: readonly number[];
}

function markBody(reader: Reader, end: number, { parameters, shapes, options, counts }: Body): Uint8Array {
  const start = reader.at;
  const { groups, start: firstGroup, count } = readLocals(reader);
  const first = parameters + count;
  const code = reader.at;
  const pieces = findPieces(reader, end, shapes, counts);
  if (pieces.length === 0) return reader.bytes.subarray(start, end);
  const writes = pieces.flatMap((piece) => (piece.kind === 'alone' ? [piece.write] : []));
  const isRange = writes.some(({ kind }) => kind === 'range');
  const used = VALUES.map((_, i) => writes.some((write) => write.kind === 'store' && write.value === i));
  const ints = isRange ? 4 : Math.min(1, writes.length);
  const locals: Locals = {
    address: first,
    range: first + 1,
    values: used.map((_, i) => first + ints + used.slice(0, i).filter(Boolean).length),
  };
  const out = new Writer(2 * (end - start) + 64);
  out.put(unsigned(groups + 1 + used.filter(Boolean).length));
  out.put(reader.bytes.subarray(firstGroup, code));
  out.put([ints, I32, ...VALUES.flatMap((type, i) => (used[i] ? [1, type] : []))]);
  let copied = code;
  for (const piece of pieces) {
    out.put(reader.bytes.subarray(copied, piece.at));
    copied = piece.at;
    if (piece.kind === 'mark') out.put([...op.get(piece.local), ...markUpTo(piece.last, options)]);
    else {
      out.put(marked(piece.write, reader.bytes.subarray(piece.at, piece.end), locals, options));
      copied = piece.end;
    }
  }
  out.put(reader.bytes.subarray(copied, end));
  return out.written;
}

function findPieces(reader: Reader, end: number, shapes: Shapes, counts: Record<string, number>): Piece[] {
  const pieces: Piece[] = [];
  const operands = new Operands(shapes);
  const groups = new Groups((mark) => pieces.push({ kind: 'mark', ...mark }));
  while (reader.at < end) {
    const at = reader.at;
    const write = readInstruction(reader);
    if (write !== undefined) {
      const name = write.kind === 'other' ? `${write.name} ${write.index}` : write.kind;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    groups.pass(reader.bytes, at);
    const base = write?.kind === 'store' ? operands.local(1) : undefined;
    if (write?.kind === 'store' && base !== undefined) groups.add(at, base, write);
    else if (write !== undefined && write.kind !== 'other') pieces.push({ kind: 'alone', at, end: reader.at, write });
    operands.pass(reader.bytes, at);
  }
  return pieces;
}

/** Takes the address on the stack. */
function markUpTo(last: number, { table, shift }: MarkingOptions): number[] {
  const address = last === 0 ? [] : [...op.constant(last), ...op.add];
  return [...address, ...op.constant(shift), ...op.shiftRight, ...op.constant(1), 0x3a, 0, ...unsigned(table)];
}

/** An instruction that writes, and after it its mark. */
function marked(
  write: Exclude<Write, { kind: 'other' }>,
  instruction: ArrayLike<number>,
  { address, range, values }: Locals,
  options: MarkingOptions,
): number[] {
  const toPage = [...op.constant(options.shift), ...op.shiftRight];
  const mark = [...op.constant(1), 0x3a, 0, ...unsigned(options.table)];
  const [source, length, page] = [range, range + 1, range + 2];
  if (write.kind === 'store') {
    const value = values[write.value];
    return [
      ...[...op.set(value), ...op.tee(address), ...op.get(value), ...Array.from(instruction)],
      ...[...op.get(address), ...markUpTo(write.offset + write.size - 1, options)],
    ];
  }
  const lastPage = length;
  return [
    ...[...op.set(length), ...op.set(source), ...op.tee(address), ...op.get(source), ...op.get(length)],
    ...Array.from(instruction),
    ...[...op.block, ...op.get(length), ...op.isZero, ...op.branchIf],
    ...[...op.get(address), ...toPage, ...op.set(page)],
    ...[...op.get(address), ...op.get(length), ...op.add, ...op.constant(1), ...op.subtract, ...toPage],
    ...[...op.set(lastPage), ...op.loop, ...op.get(page), ...mark],
    ...[...op.get(page), ...op.constant(1), ...op.add, ...op.tee(page), ...op.get(lastPage), ...op.atMost],
    ...[...op.branchIf, ...op.end, ...op.end],
  ];
}
