import { MARKS, SPAN } from '../moduleLayout.ts';
import { assemble, I32, op } from './assembler.ts';
import { NumberList } from './numberList.ts';

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
  readonly pages: Int32Array;
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
 *
 * No array is written to by index, grown or taken apart here: in a realm that is frozen (lockdown.ts) V8 has no fast way for any of it.
 */
export class Pages {
  private counts = { restores: 0, pages: 0, whole: 0 };
  private heap = new Uint8Array(0);
  private view = new DataView(this.heap.buffer);
  private words = new Uint32Array(0);
  private readonly base: Uint8Array;
  private readonly baseWords: Uint32Array;
  private readonly values: readonly unknown[];
  /** What the held moment's own pages hold, one after the other, and where by page; -1 for those that are as in the base. */
  private held = new NumberList(COUNT);
  private heldCount = 0;
  private heldBytes = new Uint8Array(ROOM * PAGE);
  private heldWords = new Uint32Array(this.heldBytes.buffer);
  private readonly places = new NumberList(COUNT, -1);
  /** What \`take\` has found. */
  private found = new NumberList(COUNT);
  private isComplete = true;
  private readonly findMark: (from: number, end: number) => number;

  /** Takes memory and globals as they are. @param base what the memory holds, in whole pages; zeros after it */
  constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly globals: readonly WebAssembly.Global[],
    base?: Uint8Array<ArrayBuffer>,
  ) {
    this.refresh();
    this.heap.fill(0, MARKS.table, MARKS.table + COUNT);
    this.base = base ?? this.heap.slice();
    this.baseWords = new Uint32Array(this.base.buffer, this.base.byteOffset, this.base.length / 4);
    this.values = globals.map(({ value }) => value);
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
    let count = this.take();
    if (count < 0) {
      const differing = this.differing();
      count = differing.length;
      this.found.setAll(differing);
    }
    this.give(count);
    const { held } = this;
    for (let i = 0; i < count; ) {
      // Neighbours are copied together.
      let together = 1;
      while (i + together < count && held.get(i + together) === held.get(i) + together) together++;
      const from = held.get(i) * PAGE;
      this.heldBytes.set(this.heap.subarray(from, from + together * PAGE), i * PAGE);
      i += together;
    }
  }

  /** What is held, for `holdAgain`; undefined where it is more than so many bytes. */
  heldPages(most: number): HeldPages | undefined {
    const size = this.heldCount * PAGE;
    if (size > most) return undefined;
    return { pages: this.held.first(this.heldCount), bytes: this.heldBytes.slice(0, size) };
  }

  /** Puts memory, which is as it was at the start, to a moment that was held before, and holds it. */
  holdAgain({ pages, bytes }: HeldPages): void {
    this.refresh();
    this.found.setAll(pages);
    this.give(pages.length);
    this.heldBytes.set(bytes);
    for (let i = 0; i < pages.length; i++) this.setMark(pages[i], 1);
    this.restoreHeld();
  }

  /** Gives the pages that were found, so many, their places among those that are held. */
  private give(count: number): void {
    const { found, places } = this;
    this.found = this.held;
    this.held = found;
    this.heldCount = count;
    if (this.heldBytes.length < count * PAGE) this.makeRoom(count);
    for (let i = 0; i < count; i++) places.set(found.get(i), i * PAGE);
  }

  /** Puts memory back to the moment that is held. */
  restoreHeld(): void {
    this.putBack(this.take());
  }

  /** Puts memory back to what it was at the start. */
  restore(): void {
    this.refresh();
    for (let i = 0; i < this.heldCount; i++) this.setMark(this.held.get(i), 1);
    this.release();
    this.putBack(this.take());
  }

  /** The reference: puts all of memory back to the start, whatever the marks say. */
  restoreWhole(): void {
    this.refresh();
    this.release();
    this.putBack(-1);
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
    for (let page = at >>> MARKS.shift; page <= last; page++) this.setMark(page, 1);
  }

  private setMark(page: number, mark: number): void {
    this.view.setUint8(MARKS.table + page, mark);
  }

  private makeRoom(pages: number): void {
    this.heldBytes = new Uint8Array(pages * PAGE);
    this.heldWords = new Uint32Array(this.heldBytes.buffer);
  }

  private release(): void {
    for (let i = 0; i < this.heldCount; i++) this.places.set(this.held.get(i), -1);
    this.heldCount = 0;
    if (this.heldBytes.length > 16 * ROOM * PAGE) this.makeRoom(ROOM);
  }

  /**
   * Finds the pages that may not be as they were at the last moment, in order; their marks are taken off.
   * @returns their count; -1 where the table of marks says nothing any more: something has written into it, or marks are missing
   */
  private take(): number {
    this.refresh();
    const { heap, findMark, found } = this;
    const end = MARKS.table + heap.length / PAGE;
    let { isComplete } = this;
    this.isComplete = true;
    let count = 0;
    let last = -1;
    for (let at = findMark(MARKS.table, end); at < end; at = findMark(at + 1, end)) {
      const page = at - MARKS.table;
      if (page > 0 && last !== page - 1 && this.isChanged(page - 1, WORDS - TAIL)) found.set(count++, page - 1);
      found.set(count++, page);
      last = page;
      this.setMark(page, 0);
      // Also where what was written only begins in the table.
      if (page >= FIRST && page <= LAST + 1) isComplete = false;
    }
    return isComplete ? count : -1;
  }

  /** Whether a page is not as it was at the last moment, from one of its words on. */
  private isChanged(page: number, from: number): boolean {
    const { words } = this;
    const place = this.places.get(page);
    const before = place < 0 ? this.baseWords : this.heldWords;
    const now = page * WORDS;
    const then = place < 0 ? now : place / 4;
    for (let i = from; i < WORDS; i++) if (words[now + i] !== (before[then + i] ?? 0)) return true;
    return false;
  }

  /** @param count of the pages that were found; -1 for all of memory */
  private putBack(count: number): void {
    const { found } = this;
    this.counts.restores++;
    if (count < 0) this.putAllBack();
    else {
      this.counts.pages += count;
      // Neighbours are copied together.
      for (let i = 0; i < count; ) {
        const from = found.get(i);
        let together = 1;
        while (
          i + together < count &&
          found.get(i + together) === from + together &&
          this.areNeighbours(from + together)
        )
          together++;
        this.copy(from, together);
        i += together;
      }
    }
    const { globals, values } = this;
    for (let i = 0; i < globals.length; i++) if (globals[i].value !== values[i]) globals[i].value = values[i];
  }

  /** Whether a page's bytes for putting back stand behind those of the page before it. */
  private areNeighbours(page: number): boolean {
    const before = this.places.get(page - 1);
    const place = this.places.get(page);
    if (before >= 0) return place === before + PAGE;
    return place < 0 && page * PAGE !== this.base.length;
  }

  private copy(page: number, count: number): void {
    const at = page * PAGE;
    const size = count * PAGE;
    const place = this.places.get(page);
    if (place >= 0) this.heap.set(this.heldBytes.subarray(place, place + size), at);
    else if (at < this.base.length) this.heap.set(this.base.subarray(at, at + size), at);
    else this.heap.fill(0, at, at + size);
  }

  private putAllBack(): void {
    this.counts.whole++;
    this.heap.set(this.base);
    this.heap.fill(0, this.base.length);
    for (let i = 0; i < this.heldCount; i++) this.copy(this.held.get(i), 1);
  }

  /** A memory that has grown has another buffer. */
  private refresh(): void {
    if (this.heap.buffer === this.memory.buffer) return;
    this.heap = new Uint8Array(this.memory.buffer);
    this.view = new DataView(this.memory.buffer);
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
