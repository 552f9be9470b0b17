import { SPAN } from '../moduleLayout.ts';
import { Reader } from './binary.ts';

const [SET, TEE] = [0x21, 0x22];
/**
 * Instructions after which others may follow than the next one: calls, blocks and branches are the first ones, except
 * `nop`.
 */
const LAST_STEERING = 0x19;
const NOP = 0x01;

/** Bytes written at one address, as far as no mark covers them yet. */
interface Group {
  readonly first: number;
  readonly last: number;
}

/** The mark of a group, up to its last byte. */
export interface GroupMark {
  /** Before the instruction here. */
  readonly at: number;
  readonly local: number;
  readonly last: number;
}

/**
 * Stores to one address, side by side, have one mark together: after them, before the local variable with the address changes, and before anything
 * that might not come back.
 */
export class Groups {
  private readonly open = new Map<number, Group>();

  constructor(private readonly mark: (mark: GroupMark) => void) {}

  /** Notes a store, which writes `size` bytes from `offset` on, at the address in a local variable. */
  add(at: number, local: number, { offset, size }: { readonly offset: number; readonly size: number }): void {
    const before = this.open.get(local);
    const range = { first: offset, last: offset + size - 1 };
    const both = before && { first: Math.min(before.first, range.first), last: Math.max(before.last, range.last) };
    if (both && both.last - both.first < SPAN) this.open.set(local, both);
    else {
      this.close(at, local);
      this.open.set(local, range);
    }
  }

  /** Passes an instruction, before which marks may have to be made. */
  pass(bytes: Uint8Array, at: number): void {
    const op = bytes[at];
    if (op === SET || op === TEE) this.close(at, new Reader(bytes, at + 1).unsigned());
    else if (op <= LAST_STEERING && op !== NOP) for (const local of [...this.open.keys()]) this.close(at, local);
  }

  private close(at: number, local: number): void {
    const group = this.open.get(local);
    if (group) this.mark({ at, local, last: group.last });
    this.open.delete(local);
  }
}
