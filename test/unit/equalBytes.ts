import { expect } from 'vitest';

/**
 * Compares typed arrays of one type by their bytes first. Vitest compares element by element, which takes seconds for
 * the weights of a policy. Arrays with other bytes are left to Vitest, which reports the difference.
 */
expect.addEqualityTesters([
  (a: unknown, b: unknown) =>
    ArrayBuffer.isView(a) && ArrayBuffer.isView(b) && a.constructor === b.constructor && sameBytes(a, b)
      ? true
      : undefined,
]);

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => Buffer.from(buffer, byteOffset, byteLength);
const sameBytes = (a: ArrayBufferView, b: ArrayBufferView) => bytesOf(a).equals(bytesOf(b));
