import { writeSync } from 'node:fs';

/** Writes part of some bytes and tells how many; what `writeSync` does. */
type WriteSome = (target: number, bytes: Uint8Array, from: number) => number;

/** Writes all of it: a disk that is nearly full, or a signal, lets a call write less than it was given. */
export function writeAll(target: number, bytes: Uint8Array, write: WriteSome = writeSync): void {
  for (let at = 0; at < bytes.length; ) {
    const written = write(target, bytes, at);
    if (written === 0) throw new Error('the system takes no more');
    at += written;
  }
}
