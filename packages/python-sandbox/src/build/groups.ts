import { SPAN } from '../moduleLayout.ts';
import { Reader } from './binary.ts';

const [SET, TEE] = [0x21, 0x22];
/** All opcodes up to this one except `nop` can transfer control: calls, blocks and branches. */
const LAST_STEERING = 0x19;
const NOP = 0x01;

/** Bytes written at one address that no mark covers yet. */
interface Group {
  readonly first: number;
  readonly last: number;
}

/** Mark of a group of stores, for the page of the last byte. */
export interface GroupMark {
  /** Position of the instruction before which the mark is inserted. */
  readonly at: number;
  readonly local: number;
  readonly last: number;
}

/**
 * Combines the marks of adjacent stores to one address. The mark comes after the stores, before the local variable with
 * the address changes, and before any instruction that can transfer control.
 */
export class Groups {
  private readonly open = new Map<number, Group>();

  constructor(private readonly mark: (mark: GroupMark) => void) {}

  /** Adds a store of `size` bytes at `offset` from the address in a local variable. */
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

  /** Handles the next instruction, and emits the marks that must precede it. */
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
