import { MARKS, SPAN } from '../marks.ts';
import { assemble, I32, op } from './assembler.ts';

const PAGE = 1 << MARKS.shift;
const COUNT = MARKS.memory >> MARKS.shift;
/** The pages that the table of marks lies on: nothing but marks is ever written there. */
const FIRST = MARKS.table >> MARKS.shift;
const LAST = (MARKS.table + COUNT - 1) >> MARKS.shift;
/** Marks that are passed over together where none is set. */
const TOGETHER = 256;
/** Words at the end of a page that stores may have changed whose mark is on the next page. */
const TAIL = SPAN / 4;
const WORDS = PAGE / 4;
/** Pages that there is room for to begin with; most programs need fewer. */
const ROOM = 256;

/** A moment that can be held again: pages, and what they hold one after the other; all others are as at the start. */
export interface HeldPages {
  readonly pages: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface PagesStatistics {
  /** How often memory was put back, and how many pages of it altogether. */
  readonly restores: number;
  readonly pages: number;
  /** How often all of memory was, because the table of marks said nothing any more. */
  readonly whole: number;
}

/**
 * The interpreter's memory as it was at one moment, and the way back to it: only pages that were marked as written are copied. On top of
 * it a second moment can be held, to which the memory is put back any number of times.
 */
export class Pages {
  private counts = { restores: 0, pages: 0, whole: 0 };
  private heap = new Uint8Array(0);
  private words = new Uint32Array(0);
  private readonly base: Uint8Array;
  private readonly baseWords: Uint32Array;
  private readonly globals: readonly (readonly [WebAssembly.Global, unknown])[];
  /** What the held moment's own pages hold, one after the other, and where by page; -1 for those that are as in the base. */
  private held: readonly number[] = [];
  private heldBytes = new Uint8Array(ROOM * PAGE);
  private heldWords = new Uint32Array(this.heldBytes.buffer);
  private readonly places = new Int32Array(COUNT).fill(-1);
  private isComplete = true;
  private readonly findMark: (from: number, end: number) => number;

  /** Takes memory and globals as they are. @param base what the memory holds, in whole pages; zeros after it */
  constructor(
    private readonly memory: WebAssembly.Memory,
    globals: readonly WebAssembly.Global[],
    base?: Uint8Array<ArrayBuffer>,
  ) {
    this.refresh();
    this.heap.fill(0, MARKS.table, MARKS.table + COUNT);
    this.base = base ?? this.heap.slice();
    this.baseWords = new Uint32Array(this.base.buffer, this.base.byteOffset, this.base.length / 4);
    this.globals = globals.map((global) => [global, global.value] as const);
    this.findMark = markFinder(memory);
  }

  get statistics(): PagesStatistics {
    return { ...this.counts };
  }

  /**
   * Says that marks may be missing: the module has trapped, perhaps between writing a range and the last of its marks. All of memory is put back the
   * next time.
   */
  distrust(): void {
    this.isComplete = false;
  }

  /** Holds this moment: `restoreHeld` comes back to it, until `restore`. */
  hold(): void {
    // Where the marks say nothing, all of memory is compared.
    const pages = this.take() ?? this.differing();
    this.give(pages);
    for (let i = 0; i < pages.length; ) {
      // Neighbours are copied together.
      let count = 1;
      while (pages[i + count] === pages[i] + count) count++;
      const from = pages[i] * PAGE;
      this.heldBytes.set(this.heap.subarray(from, from + count * PAGE), i * PAGE);
      i += count;
    }
  }

  /** What is held, for `holdAgain`; undefined where it is more than so many bytes. */
  heldPages(most: number): HeldPages | undefined {
    const size = this.held.length * PAGE;
    return size > most ? undefined : { pages: this.held, bytes: this.heldBytes.slice(0, size) };
  }

  /** Puts memory, which is as it was at the start, to a moment that was held before, and holds it. */
  holdAgain({ pages, bytes }: HeldPages): void {
    this.give(pages);
    this.heldBytes.set(bytes);
    for (const page of pages) this.heap[MARKS.table + page] = 1;
    this.restoreHeld();
  }

  /** Gives pages their places among those that are held. */
  private give(pages: readonly number[]): void {
    this.held = pages;
    if (this.heldBytes.length < pages.length * PAGE) this.makeRoom(pages.length);
    pages.forEach((page, i) => {
      this.places[page] = i * PAGE;
    });
  }

  /** Puts memory back to the moment that is held. */
  restoreHeld(): void {
    this.putBack(this.take());
  }

  /** Puts memory back to what it was at the start. */
  restore(): void {
    this.refresh();
    for (const page of this.held) this.heap[MARKS.table + page] = 1;
    this.release();
    this.putBack(this.take());
  }

  /** The reference: puts all of memory back to the start, whatever the marks say. */
  restoreWhole(): void {
    this.refresh();
    this.release();
    this.putBack(undefined);
  }

  /** Pages that are not as they were at the moment that is held, or else at the start, found by comparing all bytes. */
  differing(): number[] {
    this.refresh();
    const found: number[] = [];
    for (let page = 0; page < this.heap.length / PAGE; page++) {
      if ((page < FIRST || page > LAST) && this.isChanged(page, 0)) found.push(page);
    }
    return found;
  }

  /** Marks what JavaScript has written. */
  mark(at: number, size: number): void {
    if (size === 0) return;
    this.refresh();
    const last = (at + size - 1) >>> MARKS.shift;
    for (let page = at >>> MARKS.shift; page <= last; page++) this.heap[MARKS.table + page] = 1;
  }

  private makeRoom(pages: number): void {
    this.heldBytes = new Uint8Array(pages * PAGE);
    this.heldWords = new Uint32Array(this.heldBytes.buffer);
  }

  private release(): void {
    for (const page of this.held) this.places[page] = -1;
    this.held = [];
    if (this.heldBytes.length > 16 * ROOM * PAGE) this.makeRoom(ROOM);
  }

  /**
   * Pages that may not be as they were at the last moment, in order; their marks are taken off.
   * @returns undefined where the table of marks says nothing any more: something has written into it, or marks are missing
   */
  private take(): number[] | undefined {
    this.refresh();
    const { heap, findMark } = this;
    const pages: number[] = [];
    const end = MARKS.table + heap.length / PAGE;
    let { isComplete } = this;
    this.isComplete = true;
    let last = -1;
    for (let at = findMark(MARKS.table, end); at < end; at = findMark(at + 1, end)) {
      const page = at - MARKS.table;
      if (page > 0 && last !== page - 1 && this.isChanged(page - 1, WORDS - TAIL)) pages.push(page - 1);
      pages.push(page);
      last = page;
      heap[at] = 0;
      // Also where what was written only begins in the table.
      if (page >= FIRST && page <= LAST + 1) isComplete = false;
    }
    return isComplete ? pages : undefined;
  }

  /** Whether a page is not as it was at the last moment, from one of its words on. */
  private isChanged(page: number, from: number): boolean {
    const place = this.places[page];
    const [before, at] = place < 0 ? [this.baseWords, page * WORDS] : [this.heldWords, place / 4];
    for (let i = from; i < WORDS; i++) if (this.words[page * WORDS + i] !== (before[at + i] ?? 0)) return true;
    return false;
  }

  /** @param pages undefined for all of them */
  private putBack(pages: readonly number[] | undefined): void {
    this.counts.restores++;
    if (pages === undefined) this.putAllBack();
    else {
      this.counts.pages += pages.length;
      // Neighbours are copied together.
      for (let i = 0; i < pages.length; ) {
        const from = pages[i];
        let count = 1;
        while (pages[i + count] === from + count && this.areNeighbours(from + count)) count++;
        this.copy(from, count);
        i += count;
      }
    }
    for (const [global, value] of this.globals) if (global.value !== value) global.value = value;
  }

  /** Whether a page's bytes for putting back stand behind those of the page before it. */
  private areNeighbours(page: number): boolean {
    const [before, place] = [this.places[page - 1], this.places[page]];
    if (before >= 0) return place === before + PAGE;
    return place < 0 && page * PAGE !== this.base.length;
  }

  private copy(page: number, count: number): void {
    const [at, size, place] = [page * PAGE, count * PAGE, this.places[page]];
    if (place >= 0) this.heap.set(this.heldBytes.subarray(place, place + size), at);
    else if (at < this.base.length) this.heap.set(this.base.subarray(at, at + size), at);
    else this.heap.fill(0, at, at + size);
  }

  private putAllBack(): void {
    this.counts.whole++;
    this.heap.set(this.base);
    this.heap.fill(0, this.base.length);
    for (const page of this.held) this.copy(page, 1);
  }

  /** A memory that has grown has another buffer. */
  private refresh(): void {
    if (this.heap.buffer === this.memory.buffer) return;
    this.heap = new Uint8Array(this.memory.buffer);
    this.words = new Uint32Array(this.memory.buffer);
  }
}

/** A function in WebAssembly that gives the address of the first byte from one on that is not zero; the end, or one behind it, where there is none. */
function markFinder(memory: WebAssembly.Memory): (from: number, end: number) => number {
  const [at, end, last] = [0, 1, 2];
  const advance = (by: number) => [...op.get(at), ...op.constant(by), ...op.add, ...op.set(at)];
  const parts = Array.from({ length: TOGETHER / 16 }, (_, i) => [...op.get(at), ...op.loadVector(16 * i)]);
  const all = parts.flatMap((part, i) => (i === 0 ? part : [...part, ...op.orVector]));
  const first = [...op.get(at), ...op.loadLong(), ...op.trailingZerosLong, ...op.toInt];
  const code = [
    ...[...op.block, ...op.loop, ...op.get(at), ...op.get(end), ...op.atLeast, ...op.branchIf(1)],
    ...[...all, ...op.isAnyVector, ...op.isZero, ...op.if(), ...advance(TOGETHER), ...op.branch(1), ...op.end],
    ...[...op.get(at), ...op.constant(TOGETHER), ...op.add, ...op.set(last)],
    ...[...op.loop, ...op.get(at), ...op.loadLong(), ...op.isZeroLong, ...op.if(), ...advance(8)],
    ...[...op.get(at), ...op.get(last), ...op.less, ...op.branchIf(1), ...op.branch(2), ...op.end, ...op.end],
    ...[...op.get(at), ...first, ...op.constant(3), ...op.shiftRight, ...op.add, ...op.return],
    ...[...op.end, ...op.end, ...op.get(at)],
  ];
  const module = assemble(
    [{ name: 'memory', from: 'memory' }],
    [{ name: 'find', signature: [[I32, I32], [I32]], locals: 1, code }],
  );
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module), { host: { memory } });
  return exports.find as (from: number, end: number) => number;
}
