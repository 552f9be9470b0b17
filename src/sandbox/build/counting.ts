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
/** Of i32 and i64. */
const DIVISIONS = [0x6d, 0x6e, 0x6f, 0x70, 0x7f, 0x80, 0x81, 0x82];

/** From f64.abs to f64.copysign: each waits for the one before. */
const FLOATS = { first: 0x99, last: 0xa6 };

/** Code of so many bytes counts one; a call, a division and arithmetic of floats are as long as what they cost. */
const BYTES = 64;
const [CALL, DIVISION, FLOAT] = [64, 256, 24];
/** A turn of a loop counts no more than this, a call of a function no more than that; where only a part of the code is run at a time, no more than a part. */
const [TURN, FULL, PART] = [64, 512, 4];
/**
 * Code outside of loops counts from this number of bytes on, as a part. It counts in full if it has few branches, which
 * is typical of hashes.
 */
const [BRANCHING, STRAIGHT, STRETCH] = [384, 1024, 256];
/** A range counts one for 2^4 bytes, and is so many longer: to begin with it takes as long as them. */
const [RANGE_SHIFT, RANGE_BEGIN] = [4, 128];

/** 2^62: an amount that no program can use up. */
const MANY = [0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xc0, 0x00, END];
const ZERO = [0x41, 0, END];
/** All units of 64 KiB that a memory can have. */
const FULL_MEMORY = [0x41, ...signed(65_536), END];

/** Number of globals that are added, after all others. */
export const ADDED_GLOBALS = 3;

/**
 * Rewrites a module, before its writes are marked, so that it counts its own work: each turn of each loop by the length of the loop's code, long functions when they are called, ranges
 * by their bytes. It counts down in a global of 64 bits that JavaScript sets, and traps below zero. So no C function takes time that is not counted; and as
 * WebAssembly does the same on every machine, the count is the same on every machine.
 *
 * Its memory seems to it no larger than a ceiling that JavaScript sets, in units of 64 KiB: beyond it the module asks for more, which can be refused.
 * @throws {Error} for a module that holds what is not known here
 */
export function countWork(source: Uint8Array): Uint8Array<ArrayBuffer> {
  const functions = readFunctions(source);
  // Ours come behind all others: the count, the ceiling, and the number that an instruction has left for the next.
  const work = functions.importedGlobals + sectionReader(source)(SECTION.global).unsigned();
  const globals = [I64, 1, ...MANY, I32, 1, ...FULL_MEMORY, I32, 1, ...ZERO];
  return rewriteSections(source, {
    [SECTION.code]: (section) => rewriteBodies(readBodies(section, functions), (body) => countBody(body, work)),
    [SECTION.global]: (section) => appendEntries(section, ADDED_GLOBALS, globals),
    [SECTION.export]: (section) =>
      exportGlobals(section, [
        [WORK, work],
        [CEILING, work + 1],
      ]),
  });
}

interface Site {
  readonly at: number;
  readonly kind: 'code' | 'range' | 'size';
  /** Cost of its code, in bytes, without that of the loops in it. */
  cost: number;
  branches: number;
  /** The most that it counts. */
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

/** A function's own beginning, where that counts, its loops, and the ranges that it writes. */
function findSites({ bytes, code, end }: Body): Site[] {
  const reader = new Reader(bytes, code);
  const rootSite = site(code);
  const sites: Site[] = [];
  /** Blocks that are open, each with the loop that contains it; the first block represents the function. */
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

/** The lower of the number on the stack and a global. */
function lower(global: number, left: number): number[] {
  const both = [...op.read(left), ...op.read(global)];
  return [...op.write(left), ...both, ...both, ...op.isLess, ...op.select];
}

/** Takes the length of the range that is about to be written: a trap after it would come before its pages are marked. */
function consumeRange(work: number, left: number, local: number): number[] {
  const units = [...op.constant(RANGE_BEGIN), ...op.add, ...op.constant(RANGE_SHIFT), ...op.shiftRight, ...op.toLong];
  return [...op.write(left), ...consume(work, [...op.read(left), ...units], local), ...op.read(left)];
}

/** Takes an amount from the count, and traps below zero. @param local a variable for what is left */
function consume(work: number, amount: readonly number[], local: number): number[] {
  return [
    ...[...op.read(work), ...amount, ...op.subtractLong, ...op.tee(local), ...op.write(work)],
    ...[...op.get(local), ...op.long(0), ...op.isLessLong, ...op.if, ...op.unreachable, ...op.end],
  ];
}
