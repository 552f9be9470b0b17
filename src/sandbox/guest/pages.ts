import { MARKS, SPAN } from '../moduleLayout.ts';
import { I32, op } from '../wasm.ts';
import { assemble } from './assembler.ts';
import { NumberList } from './numberList.ts';

const PAGE = 1 << MARKS.shift;
const COUNT = MARKS.memory >> MARKS.shift;
/** Pages of the table of marks: only marks are ever written there. */
const FIRST = MARKS.table >> MARKS.shift;
const LAST = (MARKS.table + COUNT - 1) >> MARKS.shift;
/** Marks that are passed over together where none is set. */
const TOGETHER = 256;
/** Words at the end of a page that stores may have changed whose mark is on the next page. */
const TAIL = SPAN / 4;
const PAGE_ELEMENTS = PAGE / 4;

/**
 * State at a moment that can be held again: pages, and their contents in the same order; all other pages are as at the
 * start.
 */
export interface PageSnapshot {
  readonly pages: Int32Array;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Pages that follow one another. @param offset of the first one in its list */
type Run = (page: number, length: number, offset: number) => void;

/**
 * The interpreter's memory as it was at one moment, and the way to restore it: only pages that were marked as written
 * are copied. In addition a second moment can be held, to which the memory is restored any number of times.
 *
 * No array is written to by index, grown or taken apart here: in a realm that is frozen (lockdown.ts) V8 has no fast
 * way for any of these operations.
 */
export class Pages {
  private heap = new Uint8Array(0);
  private view = new DataView(this.heap.buffer);
  private heap32 = new Uint32Array(0);
  /** Memory at the moment that is held, or else at the start. */
  private moment = new Uint8Array(0);
  private moment32 = new Uint32Array(0);
  private readonly values: readonly unknown[];
  private readonly base: Uint8Array;
  /** The pages that the held moment has changed. */
  private held = new NumberList(COUNT);
  private heldCount = 0;
  /** The result of `take`. */
  private matches = new NumberList(COUNT);
  private isComplete = true;
  private readonly findMark: (from: number, end: number) => number;

  /** Takes memory and globals as they are. @param base the memory in complete pages, zeros after it; it is not changed */
  constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly globals: readonly WebAssembly.Global[],
    base?: Uint8Array,
  ) {
    this.refresh();
    this.heap.fill(0, MARKS.table, MARKS.table + COUNT);
    this.moment.set(this.heap);
    this.base = base ?? this.heap.slice();
    this.values = globals.map(({ value }) => value);
    this.findMark = markFinder(memory);
  }

  /**
   * Records that marks may be missing: the module has trapped, perhaps between writing a range and the last of its
   * marks. All of memory is restored the next time.
   */
  distrust(): void {
    this.isComplete = false;
  }

  /** Holds this moment: `restoreHeld` comes back to it, until `restore`. */
  retain(): void {
    // If the marks contain no information, all of memory is compared.
    let count = this.pop();
    if (count < 0) {
      const differing = this.differing();
      count = differing.length;
      this.matches.setAll(differing);
    }
    this.retainMatches(count, (page, length) => copyPages(this.heap, page, this.moment, page, length));
  }

  /** Returns the held state, for `restorePages`; undefined if it has more than the given number of bytes. */
  heldPages(maximum: number): PageSnapshot | undefined {
    const size = this.heldCount * PAGE;
    if (size > maximum) return undefined;
    const bytes = new Uint8Array(size);
    eachRun(this.held, this.heldCount, (page, length, offset) => copyPages(this.moment, page, bytes, offset, length));
    return { pages: this.held.first(this.heldCount), bytes };
  }

  /** Puts memory, which is as it was at the start, to a moment that was held before, and holds it. */
  restorePages({ pages, bytes }: PageSnapshot): void {
    this.refresh();
    this.matches.setAll(pages);
    this.retainMatches(pages.length, (page, length, offset) => copyPages(bytes, offset, this.moment, page, length));
    this.markHeld();
    this.restoreHeld();
  }

  /** Holds the first `count` pages of `found`. @param copy writes the bytes of a run of them */
  private retainMatches(count: number, copy: Run): void {
    const { matches } = this;
    this.matches = this.held;
    this.held = matches;
    this.heldCount = count;
    eachRun(matches, count, copy);
  }

  /** Puts memory back to the moment that is held. */
  restoreHeld(): void {
    this.putBack(this.pop());
  }

  /** Puts memory back to what it was at the start. */
  restore(): void {
    this.refresh();
    this.markHeld();
    this.release();
    this.putBack(this.pop());
  }

  /** The reference: puts all of memory back to the start, whatever the marks say. */
  restoreAll(): void {
    this.refresh();
    this.release();
    this.putBack(-1);
  }

  /** Pages that are not as they were at the moment that is held, or else at the start, found by comparing all bytes. */
  differing(): number[] {
    this.refresh();
    const matches: number[] = [];
    for (let page = 0; page < this.heap.length / PAGE; page++) {
      if ((page < FIRST || page > LAST) && this.isChanged(page, 0)) matches.push(page);
    }
    return matches;
  }

  /** Marks what JavaScript has written. */
  mark(at: number, size: number): void {
    if (size === 0) return;
    this.refresh();
    const last = (at + size - 1) >>> MARKS.shift;
    for (let page = at >>> MARKS.shift; page <= last; page++) this.setMark(page, 1);
  }

  private setMark(page: number, mark: number): void {
    this.view.setUint8(MARKS.table + page, mark);
  }

  private markHeld(): void {
    for (let i = 0; i < this.heldCount; i++) this.setMark(this.held.get(i), 1);
  }

  private release(): void {
    const { base, moment } = this;
    eachRun(this.held, this.heldCount, (page, length) => {
      const end = (page + length) * PAGE;
      if (end > base.length) moment.fill(0, page * PAGE, end);
      copyPages(base, page, moment, page, length);
    });
    this.heldCount = 0;
  }

  /**
   * Finds the pages that may differ from the last moment, in order; their marks are removed.
   * @returns their count; -1 if the table of marks is not reliable: it was overwritten, or marks are missing
   */
  private pop(): number {
    this.refresh();
    const { heap, findMark, matches } = this;
    const end = MARKS.table + heap.length / PAGE;
    let { isComplete } = this;
    this.isComplete = true;
    let count = 0;
    let last = -1;
    for (let at = findMark(MARKS.table, end); at < end; at = findMark(at + 1, end)) {
      const page = at - MARKS.table;
      if (page > 0 && last !== page - 1 && this.isChanged(page - 1, PAGE_ELEMENTS - TAIL))
        matches.set(count++, page - 1);
      matches.set(count++, page);
      last = page;
      this.setMark(page, 0);
      // Also where what was written only begins in the table.
      if (page >= FIRST && page <= LAST + 1) isComplete = false;
    }
    return isComplete ? count : -1;
  }

  /** Returns true if a page differs from the last moment, from a given word of the page on. */
  private isChanged(page: number, from: number): boolean {
    const { heap32, moment32 } = this;
    const end = (page + 1) * PAGE_ELEMENTS;
    for (let i = page * PAGE_ELEMENTS + from; i < end; i++) if (heap32[i] !== moment32[i]) return true;
    return false;
  }

  /** @param count number of the changed pages; -1 for all of memory */
  private putBack(count: number): void {
    const { matches, heap, moment, globals, values } = this;
    if (count < 0) heap.set(moment);
    else eachRun(matches, count, (page, length) => copyPages(moment, page, heap, page, length));
    for (let i = 0; i < globals.length; i++) if (globals[i].value !== values[i]) globals[i].value = values[i];
  }

  /** A memory that has grown has another buffer. What has grown was zero. */
  private refresh(): void {
    const { buffer } = this.memory;
    if (this.heap.buffer === buffer) return;
    this.heap = new Uint8Array(buffer);
    this.view = new DataView(buffer);
    this.heap32 = new Uint32Array(buffer);
    const { moment } = this;
    this.moment = new Uint8Array(buffer.byteLength);
    this.moment.set(moment);
    this.moment32 = new Uint32Array(this.moment.buffer);
  }
}

/** Finds the pages that follow one another among the first `count` ones of a list: they are copied together. */
function eachRun(pages: NumberList, count: number, use: Run): void {
  for (let i = 0; i < count; ) {
    const page = pages.get(i);
    let length = 1;
    while (i + length < count && pages.get(i + length) === page + length) length++;
    use(page, length, i);
    i += length;
  }
}

function copyPages(from: Uint8Array, at: number, to: Uint8Array, offset: number, length: number): void {
  to.set(from.subarray(at * PAGE, (at + length) * PAGE), offset * PAGE);
}

/**
 * Returns a function in WebAssembly that gives the address of the first byte from a given byte on that is not zero. If
 * no such byte exists, the function gives the end, or the address one behind it.
 */
function markFinder(memory: WebAssembly.Memory): (from: number, end: number) => number {
  const [at, end, last] = [0, 1, 2];
  const advance = (by: number) => [...op.get(at), ...op.constant(by), ...op.add, ...op.set(at)];
  const parts = Array.from({ length: TOGETHER / 16 }, (_, i) => [...op.get(at), ...op.loadVector(16 * i)]);
  const all = parts.flatMap((part, i) => (i === 0 ? part : [...part, ...op.orVector]));
  const first = [...op.get(at), ...op.loadLong, ...op.trailingZerosLong, ...op.toInt];
  const code = [
    ...[...op.block(), ...op.loop, ...op.get(at), ...op.get(end), ...op.isAtLeast, ...op.branchIf(1)],
    ...[...all, ...op.isAnyVector, ...op.isZero, ...op.if, ...advance(TOGETHER), ...op.branch(1), ...op.end],
    ...[...op.get(at), ...op.constant(TOGETHER), ...op.add, ...op.set(last)],
    ...[...op.loop, ...op.get(at), ...op.loadLong, ...op.isZeroLong, ...op.if, ...advance(8)],
    ...[...op.get(at), ...op.get(last), ...op.isLess, ...op.branchIf(1), ...op.branch(2), ...op.end, ...op.end],
    ...[...op.get(at), ...first, ...op.constant(3), ...op.shiftRight, ...op.add, ...op.return],
    ...[...op.end, ...op.end, ...op.get(at)],
  ];
  const find = { name: 'find', signature: [[I32, I32], [I32]], locals: 1, code } as const;
  return assemble([{ name: 'memory' }], [find], { memory }).find as (from: number, end: number) => number;
}
