import { MARKS, SPAN } from '../moduleLayout.ts';
import { I32, op } from '../wasm.ts';
import { assemble } from './assembler.ts';
import { NumberList } from './numberList.ts';

const PAGE = 1 << MARKS.shift;
const COUNT = MARKS.memory >> MARKS.shift;
/** First and last page of the table of marks. The module writes only marks there. */
const FIRST = MARKS.table >> MARKS.shift;
const LAST = (MARKS.table + COUNT - 1) >> MARKS.shift;
/** Number of marks that are skipped together if none of them is set. */
const TOGETHER = 256;
/** Number of words at the end of a page that marked stores of the next page can change. */
const TAIL = SPAN / 4;
const PAGE_ELEMENTS = PAGE / 4;

/** Retained memory state: indices of the pages that differ from the initial state, and their contents in this order. */
export interface PageSnapshot {
  readonly pages: Int32Array;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Consumer of consecutive pages. @param offset index of the first page in its list */
type Run = (page: number, length: number, offset: number) => void;

/**
 * Restores the interpreter's memory to its initial state. Only pages that are marked as written are copied. A second
 * state can be retained, to which the memory can be restored any number of times.
 *
 * The code does not write array elements by index, grow arrays or destructure them. In a frozen realm (lockdown.ts), V8
 * has no fast path for these operations.
 */
export class Pages {
  private heap = new Uint8Array(0);
  private view = new DataView(this.heap.buffer);
  private heap32 = new Uint32Array(0);
  /** Memory of the retained state, or otherwise of the initial state. */
  private moment = new Uint8Array(0);
  private moment32 = new Uint32Array(0);
  private readonly values: readonly unknown[];
  private readonly base: Uint8Array;
  /** Pages that differ between the retained and the initial state. */
  private held = new NumberList(COUNT);
  private heldCount = 0;
  /** Pages found by `pop`. */
  private matches = new NumberList(COUNT);
  private isComplete = true;
  private readonly findMark: (from: number, end: number) => number;

  /**
   * Stores memory and globals as the initial state.
   * @param base initial memory in complete pages, zero afterwards; not changed
   */
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

  /** Makes the next restoration copy all memory: the module can trap between a write of a range and its last mark. */
  distrust(): void {
    this.isComplete = false;
  }

  /** Retains the current state for `restoreHeld`, until `restore` is called. */
  retain(): void {
    // If the marks are unreliable, all memory is compared.
    let count = this.pop();
    if (count < 0) {
      const differing = this.differing();
      count = differing.length;
      this.matches.setAll(differing);
    }
    this.retainMatches(count, (page, length) => copyPages(this.heap, page, this.moment, page, length));
  }

  /** Returns the retained state for `restorePages`; undefined if it exceeds `maximum` bytes. */
  heldPages(maximum: number): PageSnapshot | undefined {
    const size = this.heldCount * PAGE;
    if (size > maximum) return undefined;
    const bytes = new Uint8Array(size);
    eachRun(this.held, this.heldCount, (page, length, offset) => copyPages(this.moment, page, bytes, offset, length));
    return { pages: this.held.first(this.heldCount), bytes };
  }

  /** Restores a snapshot and retains it. The memory must be in its initial state. */
  restorePages({ pages, bytes }: PageSnapshot): void {
    this.refresh();
    this.matches.setAll(pages);
    this.retainMatches(pages.length, (page, length, offset) => copyPages(bytes, offset, this.moment, page, length));
    this.markHeld();
    this.restoreHeld();
  }

  /** Retains the first `count` pages of `matches`. @param copy copies the bytes of consecutive pages to `moment` */
  private retainMatches(count: number, copy: Run): void {
    const { matches } = this;
    this.matches = this.held;
    this.held = matches;
    this.heldCount = count;
    eachRun(matches, count, copy);
  }

  /** Restores the retained state. */
  restoreHeld(): void {
    this.putBack(this.pop());
  }

  /** Restores the initial state. */
  restore(): void {
    this.refresh();
    this.markHeld();
    this.release();
    this.putBack(this.pop());
  }

  /** Reference implementation of `restore`: restores all memory regardless of the marks. */
  restoreAll(): void {
    this.refresh();
    this.release();
    this.putBack(-1);
  }

  /** Returns the pages that differ from the last state, by comparing all bytes. */
  differing(): number[] {
    this.refresh();
    const matches: number[] = [];
    for (let page = 0; page < this.heap.length / PAGE; page++) {
      if ((page < FIRST || page > LAST) && this.isChanged(page, 0)) matches.push(page);
    }
    return matches;
  }

  /** Marks bytes that JavaScript has written. */
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
   * Collects the marked pages, which can differ from the last state, in order. Clears their marks.
   * @returns number of pages; -1 if marks are missing or the table of marks was overwritten
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
      // A write that ends on the page after the table can start in the table.
      if (page >= FIRST && page <= LAST + 1) isComplete = false;
    }
    return isComplete ? count : -1;
  }

  /** Returns true if a page differs from the last state. @param from index of the first word to compare */
  private isChanged(page: number, from: number): boolean {
    const { heap32, moment32 } = this;
    const end = (page + 1) * PAGE_ELEMENTS;
    for (let i = page * PAGE_ELEMENTS + from; i < end; i++) if (heap32[i] !== moment32[i]) return true;
    return false;
  }

  /** Restores pages and globals of the last state. @param count number of pages in `matches`; -1 for all memory */
  private putBack(count: number): void {
    const { matches, heap, moment, globals, values } = this;
    if (count < 0) heap.set(moment);
    else eachRun(matches, count, (page, length) => copyPages(moment, page, heap, page, length));
    for (let i = 0; i < globals.length; i++) if (globals[i].value !== values[i]) globals[i].value = values[i];
  }

  /** Replaces the views if the memory has grown. Added memory is zero in all states. */
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

/** Calls a function for each run of consecutive pages among the first `count` pages, to copy them together. */
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

/** Creates a WebAssembly function that returns the address of the first nonzero byte, or at least `end` without one. */
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
