import { CEILING, WORK } from '../moduleLayout.ts';
import { I32, I64, op, signed } from '../wasm.ts';
import { Reader } from './binary.ts';
import { DELEGATE, opensBlock, readInstruction } from './instructions.ts';
import {
  appendEntries,
  type Body,
  type Change,
  exportGlobals,
  readBodies,
  readFunctions,
  rewriteBodies,
  rewriteSections,
  SECTION,
  sectionReader,
} from './sections.ts';

const [LOOP, IF, END, BRANCH, BRANCH_IF, BRANCH_TABLE] = [0x03, 0x04, 0x0b, 0x0c, 0x0d, 0x0e];
const MEMORY_SIZE = 0x3f;
const CALLS = [0x10, 0x11];
/** Integer divisions and remainders of i32 and i64. */
const DIVISIONS = [0x6d, 0x6e, 0x6f, 0x70, 0x7f, 0x80, 0x81, 0x82];
/** Range of the opcodes f64.abs to f64.copysign. Each such instruction waits for the result of the previous one. */
const FLOATS = { first: 0x99, last: 0xa6 };

/** Bytes of code per unit of work. CALL, DIVISION and FLOAT are the additional costs of such instructions [bytes]. */
const BYTES = 64;
const [CALL, DIVISION, FLOAT] = [64, 256, 24];
/** Maximum work of a loop iteration, a function call, and code of which each execution takes one of many branches. */
const [TURN, FULL, PART] = [64, 512, 4];
/**
 * Minimum size of code outside loops that is counted, as PART [bytes]. Code of at least STRAIGHT bytes with more than
 * STRETCH bytes per branch counts in full; such code is typical of hashes.
 */
const [BRANCHING, STRAIGHT, STRETCH] = [384, 1024, 256];
/** A range counts one per 2^4 bytes. RANGE_BEGIN bytes are added for the start of the copy. */
const [RANGE_SHIFT, RANGE_BEGIN] = [4, 128];

/** Initial value of the counter, 2^62, which no program can use up. */
const MANY = [0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xc0, 0x00, END];
const ZERO = [0x41, 0, END];
/** Maximum size of a memory [units of 64 KiB]. */
const FULL_MEMORY = [0x41, ...signed(65_536), END];

/** Number of globals that `countWork` appends. */
export const ADDED_GLOBALS = 3;

/**
 * Rewrites a module so that it counts its work. Each loop iteration counts by the size of the loop's code, long
 * functions count when they are called, and ranges count by their bytes. The counter is a 64-bit global that the host
 * sets. The module traps if the counter falls below zero. No C function can therefore take uncounted time, and the
 * count is equal on all machines, because WebAssembly is deterministic.
 *
 * The pass must run before writes are marked. The module also reads its memory size as at most a ceiling that the host
 * sets [units of 64 KiB]. Beyond the ceiling, it requests more memory, which the host can reject.
 * @throws {Error} for a module with unknown content
 */
export function countWork(source: Uint8Array): Uint8Array<ArrayBuffer> {
  const functions = readFunctions(source);
  // Indices of the appended globals: the counter, the ceiling, and a temporary value for the next instruction.
  const work = functions.importedGlobals + sectionReader(source)(SECTION.global).unsigned();
  const globals = [I64, 1, ...MANY, I32, 1, ...FULL_MEMORY, I32, 1, ...ZERO];
  return rewriteSections(source, {
    [SECTION.code]: (section) => rewriteBodies(readBodies(section, functions), (body) => countBody(body, work)),
    [SECTION.global]: (section) => appendEntries(section, ADDED_GLOBALS, globals),
    [SECTION.export]: (section) => exportGlobals(section, { [WORK]: work, [CEILING]: work + 1 }),
  });
}

interface Site {
  readonly at: number;
  readonly kind: 'code' | 'range' | 'size';
  /** Cost of the code, without the loops inside it [bytes]. */
  cost: number;
  branches: number;
  /** Maximum count of one execution [units of work]. */
  longest: number;
}

const site = (at: number, kind: Site['kind'] = 'code'): Site => ({ at, kind, cost: 0, branches: 0, longest: TURN });

function countBody(body: Body, work: number): Change {
  const sites = findSites(body);
  if (sites.length === 0) return { pieces: [] };
  const left = work + 2;
  const code = (entry: Site) => {
    if (entry.kind === 'range') return consumeRange(work, left, body.locals);
    return entry.kind === 'code' ? consume(work, op.long(weight(entry)), body.locals) : lower(work + 1, left);
  };
  return { pieces: sites.map((entry) => ({ at: entry.at, code: code(entry) })), locals: [[1, I64]] };
}

function weight({ cost, longest }: Site): number {
  return Math.min(longest, Math.max(1, Math.round(cost / BYTES)));
}

/** Returns the positions to count at: the start of a function if it counts, its loops, and its writes of ranges. */
function findSites({ bytes, code, end }: Body): Site[] {
  const reader = new Reader(bytes, code);
  const rootSite = site(code);
  const sites: Site[] = [];
  /** Open blocks, each with the loop that contains it. The first block is the function. */
  const open: Site[] = [rootSite];
  while (reader.at < end) {
    const at = reader.at;
    const write = readInstruction(reader);
    const first = reader.bytes[at];
    if (first === LOOP) open.push(site(reader.at));
    else if (opensBlock(first)) open.push(open[open.length - 1]);
    const inside = open[open.length - 1];
    if (first === LOOP) sites.push(inside);
    if (write?.kind === 'range') sites.push(site(at, 'range'));
    if (first === MEMORY_SIZE) sites.push(site(reader.at, 'size'));
    inside.cost += reader.at - at + extra(first);
    if (first === BRANCH_TABLE) inside.longest = PART;
    if ([IF, BRANCH, BRANCH_IF, BRANCH_TABLE].includes(first)) inside.branches++;
    if (first === END || first === DELEGATE) open.pop();
  }
  const isStraight = rootSite.cost >= STRAIGHT && rootSite.cost > STRETCH * rootSite.branches;
  rootSite.longest = isStraight ? FULL : PART;
  if (!isStraight) rootSite.cost /= 2;
  return rootSite.cost < BRANCHING / 2 ? sites : [rootSite, ...sites];
}

function extra(instruction: number): number {
  if (CALLS.includes(instruction)) return CALL;
  if (DIVISIONS.includes(instruction)) return DIVISION;
  return instruction >= FLOATS.first && instruction <= FLOATS.last ? FLOAT : 0;
}

/** Returns code that replaces the number on the stack by its minimum with a global. */
function lower(global: number, left: number): number[] {
  const both = [...op.read(left), ...op.read(global)];
  return [...op.write(left), ...both, ...both, ...op.isLess, ...op.select];
}

/** Returns code that counts a range before it is written. A trap afterwards would precede the marks of its pages. */
function consumeRange(work: number, left: number, local: number): number[] {
  const units = [...op.constant(RANGE_BEGIN), ...op.add, ...op.constant(RANGE_SHIFT), ...op.shiftRight, ...op.toLong];
  return [...op.write(left), ...consume(work, [...op.read(left), ...units], local), ...op.read(left)];
}

/** Returns code that subtracts an amount and traps below zero. @param local variable for the remaining work */
function consume(work: number, amount: readonly number[], local: number): number[] {
  return [
    ...[...op.read(work), ...amount, ...op.subtractLong, ...op.tee(local), ...op.write(work)],
    ...[...op.get(local), ...op.long(0), ...op.isLessLong, ...op.if, ...op.unreachable, ...op.end],
  ];
}
